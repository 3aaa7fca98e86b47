"""Files that are whole or absent: every write is temp + fsync + rename."""

import contextlib
import errno
import os
import stat
from pathlib import Path

__all__ = ["append_line", "load_file", "reserve_room", "save_file", "sync_directory"]

KEEP_SIZE = 1
"""`FALLOC_FL_KEEP_SIZE` of linux/falloc.h."""


def save_file(path: Path, content: bytes, *, mode: int = 0o644, durable: bool = True) -> None:
    """Replace `path` with `content` so that a reader, or a machine that lost power, sees the old or the new file whole.

    Without `durable` only readers do: nothing waits for the disk. Raises OSError; the temporary file is removed then.
    """
    temporary = path.with_name(f".{path.name}.{os.getpid()}.{os.urandom(4).hex()}")
    descriptor = os.open(temporary, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, mode)
    try:
        with os.fdopen(descriptor, "wb") as stream:
            stream.write(content)
            stream.flush()
            if durable:
                os.fsync(stream.fileno())
        temporary.rename(path)
    except BaseException:
        with contextlib.suppress(OSError):
            temporary.unlink()
        raise
    if durable:
        sync_directory(path.parent)


def load_file(path: Path) -> bytes:
    """Read a file whole. Raises OSError, also for a FIFO or a device put in its place, at which a reader would hang."""
    descriptor = os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC)
    try:
        if not stat.S_ISREG(os.fstat(descriptor).st_mode):
            raise OSError(errno.EINVAL, "no regular file", str(path))
        with open(descriptor, "rb", closefd=False) as stream:
            return stream.read()
    finally:
        os.close(descriptor)


def sync_directory(directory: Path) -> None:
    """Make the names in `directory` durable."""
    descriptor = os.open(directory, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def append_line(path: Path, line: str) -> None:
    """Append one line in one write, so that lines of several processes never mix. Raises OSError; never waits."""
    descriptor = os.open(path, os.O_WRONLY | os.O_APPEND | os.O_CREAT | os.O_NONBLOCK | os.O_CLOEXEC, 0o644)
    try:
        content = line.rstrip("\n").encode() + b"\n"
        if os.write(descriptor, content) < len(content):
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC), str(path))
    finally:
        os.close(descriptor)


def reserve_room(path: Path, size_bytes: int) -> None:
    """Have the disk keep room for so many bytes behind the end of `path`, which is made if absent and looks no longer.

    What is appended afterwards finds room on a disk that is full. Raises OSError, also where the file system knows no
    such thing (fallocate(2), FALLOC_FL_KEEP_SIZE).
    """
    import ctypes

    fallocate = ctypes.CDLL(None, use_errno=True).fallocate
    fallocate.argtypes = (ctypes.c_int, ctypes.c_int, ctypes.c_int64, ctypes.c_int64)
    descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_CLOEXEC, 0o644)
    try:
        if fallocate(descriptor, KEEP_SIZE, os.fstat(descriptor).st_size, size_bytes):
            raise OSError(ctypes.get_errno(), os.strerror(ctypes.get_errno()), str(path))
    finally:
        os.close(descriptor)
