"""`flock` with patience: on a file for the length of a block, or on an open descriptor."""

import contextlib
import fcntl
import os
import time
from collections.abc import Iterator
from pathlib import Path

__all__ = ["exclusive", "lock_within"]

_TRY_EVERY_S = 0.005


@contextlib.contextmanager
def exclusive(path: Path, timeout_s: float = 0.0) -> Iterator[int | None]:
    """Hold `flock` on a file and yield its descriptor; yield None if somebody else holds it for `timeout_s`."""
    descriptor = open_lock(path)
    try:
        yield descriptor if lock_within(descriptor, timeout_s) else None
    finally:
        os.close(descriptor)


def open_lock(path: Path) -> int:
    """Open the file, or whatever else was put in its place, without waiting."""
    try:
        return os.open(path, os.O_RDWR | os.O_CREAT | os.O_NONBLOCK | os.O_CLOEXEC, 0o600)
    except IsADirectoryError:
        return os.open(path, os.O_RDONLY | os.O_CLOEXEC)


def lock_within(descriptor: int, timeout_s: float) -> bool:
    """Lock an open file; return False when somebody else holds it for `timeout_s`."""
    deadline = time.monotonic() + timeout_s
    while True:
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            if time.monotonic() >= deadline:
                return False
            time.sleep(_TRY_EVERY_S)
        else:
            return True
