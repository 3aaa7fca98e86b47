"""A port of this machine at which ranks can meet."""

import errno
import os
import socket

__all__ = ["free_port"]

PORTS = range(20000, 32000)
"""Below those that a kernel hands out by itself, which could be taken before the ranks listen."""


def free_port() -> int:
    """Return a port that nobody listens on. Raises OSError when all are taken."""
    first = int.from_bytes(os.urandom(4), "big")
    for offset in range(len(PORTS)):
        port = PORTS[(first + offset) % len(PORTS)]
        with socket.socket() as attempt:
            try:
                attempt.bind(("", port))
            except OSError:
                continue
            return port
    raise OSError(errno.EADDRINUSE, "no free port")
