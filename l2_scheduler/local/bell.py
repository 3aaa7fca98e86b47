"""How the agent is woken: a FIFO that only a living agent reads."""

import contextlib
import errno
import os
import select
import stat
from collections.abc import Iterable
from pathlib import Path
from typing import Literal

__all__ = ["Bell", "Word", "ring"]

Word = Literal["look", "quit"]
BYTES: dict[Word, bytes] = {"look": b".", "quit": b"q"}


def ring(path: Path, word: Word = "look") -> bool:
    """Wake the agent; return False when no agent listens, whatever lies in the place of its bell. Raises OSError."""
    try:
        descriptor = os.open(path, os.O_WRONLY | os.O_NONBLOCK | os.O_NOFOLLOW | os.O_CLOEXEC)
    except OSError as error:
        if error.errno in {errno.ENXIO, errno.ENOENT, errno.ELOOP, errno.EISDIR}:
            return False
        raise
    try:
        if not is_fifo(descriptor):
            return False
        with contextlib.suppress(BlockingIOError):  # a full FIFO wakes its reader as well
            os.write(descriptor, BYTES[word])
    finally:
        os.close(descriptor)
    return True


class Bell:
    """The listening end, held by the agent."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.descriptor = open_fifo(path)

    def wait(self, timeout_s: float, also: Iterable[int] = ()) -> set[Word]:
        """Sleep until rung, until one of `also` is readable, or for `timeout_s`; return what was said."""
        poller = select.poll()
        for descriptor in (self.descriptor, *also):
            poller.register(descriptor, select.POLLIN)
        if not poller.poll(max(0, timeout_s) * 1000):
            self.mend()
        try:
            said = os.read(self.descriptor, 65536)
        except BlockingIOError:
            return set()
        return {word for word, byte in BYTES.items() if byte in said}

    def mend(self) -> None:
        """Listen where others ring, should the FIFO have been removed or replaced; a failure is tried again later."""
        with contextlib.suppress(OSError):
            if not (self.path.exists() and os.path.samestat(self.path.lstat(), os.fstat(self.descriptor))):
                old, self.descriptor = self.descriptor, open_fifo(self.path)
                os.close(old)

    def close(self) -> None:
        os.close(self.descriptor)


def open_fifo(path: Path) -> int:
    make_fifo(path)
    return os.open(path, os.O_RDWR | os.O_NONBLOCK | os.O_NOFOLLOW | os.O_CLOEXEC)


def make_fifo(path: Path) -> None:
    """Make the FIFO; what else lies there by mistake is moved aside."""
    with contextlib.suppress(FileNotFoundError):
        if stat.S_ISFIFO(path.lstat().st_mode):
            return
        path.rename(path.with_name(f"{path.name}.aside"))
    os.mkfifo(path, 0o600)


def is_fifo(descriptor: int) -> bool:
    return stat.S_ISFIFO(os.fstat(descriptor).st_mode)
