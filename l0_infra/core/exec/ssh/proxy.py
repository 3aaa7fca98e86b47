"""A ProxyCommand as a socket: what ssh_config(5) lets stand in the place of a network connection."""

import socket
import subprocess
import threading

__all__ = ["through_command"]


class _ProxySocket(socket.socket):
    """Our end of a ProxyCommand, which is told to end when this is closed: not every one ends with its input."""

    process: subprocess.Popen[bytes]

    def close(self) -> None:
        super().close()
        self.process.terminate()


def through_command(command: str) -> socket.socket:
    """Start a ProxyCommand on the other end of a socket. Raises OSError."""
    ours, theirs = socket.socketpair()
    end = _ProxySocket(fileno=ours.detach())
    with theirs:
        end.process = subprocess.Popen(
            ("sh", "-c", f"exec {command}"), stdin=theirs.fileno(), stdout=theirs.fileno()
        )
    threading.Thread(target=end.process.wait, daemon=True).start()
    return end
