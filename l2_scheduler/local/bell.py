"""How the agent is woken: a FIFO that only a living agent reads."""

import contextlib
import errno
import os
import select
from collections.abc import Iterable
from pathlib import Path
from typing import Literal

__all__ = ["Bell", "Word", "ring"]

Word = Literal["look", "quit"]
BYTES: dict[Word, bytes] = {"look": b".", "quit": b"q"}


def ring(path: Path, word: Word = "look") -> bool:
    """Wake the agent; return False when no agent listens. Raises OSError when the FIFO cannot be used at all."""
    try:
        descriptor = os.open(path, os.O_WRONLY | os.O_NONBLOCK | os.O_CLOEXEC)
    except OSError as error:
        if error.errno in {errno.ENXIO, errno.ENOENT}:
            return False
        raise
    try:
        with contextlib.suppress(BlockingIOError):  # a full FIFO wakes its reader as well
            os.write(descriptor, BYTES[word])
    finally:
        os.close(descriptor)
    return True


class Bell:
    """The listening end, held by the agent."""

    def __init__(self, path: Path) -> None:
        with contextlib.suppress(FileExistsError):
            os.mkfifo(path, 0o600)
        self.descriptor = os.open(path, os.O_RDWR | os.O_NONBLOCK | os.O_CLOEXEC)

    def wait(self, timeout_s: float, also: Iterable[int] = ()) -> set[Word]:
        """Sleep until rung, until one of `also` is readable, or for `timeout_s`; return what was said."""
        poller = select.poll()
        for descriptor in (self.descriptor, *also):
            poller.register(descriptor, select.POLLIN)
        poller.poll(max(0, timeout_s) * 1000)
        try:
            said = os.read(self.descriptor, 65536)
        except BlockingIOError:
            return set()
        return {word for word, byte in BYTES.items() if byte in said}

    def close(self) -> None:
        os.close(self.descriptor)
