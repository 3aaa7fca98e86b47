"""A file of lines that grows, is cut off by kills and goes on: each whole line is read once."""

import errno
import os
import stat
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import BinaryIO, TypeVar

import msgspec

from l0_infra.core.errors import MachineError

__all__ = ["LineReader", "decode_lines", "is_cut_off", "pass_over"]

Told = TypeVar("Told")

NO_FILE = frozenset((errno.ENOENT, errno.ENOTDIR, errno.EISDIR, errno.ELOOP, errno.ENXIO, errno.EINVAL))
"""What is answered where no file is that a trainer can have written: such a thing tells nothing."""


class LineReader:
    """Reads a growing file; what stands behind its last line end is read, and read again until it has ended."""

    def __init__(self, path: Path) -> None:
        """Take the file, which need not exist yet."""
        self._path = path
        self._offset = 0

    def read(self) -> tuple[bytes, ...]:
        """Return the lines added since the last call, and the unfinished one; a file that shrank starts again.

        What is no regular file has no lines, and is not waited for. Raises OSError when the disk fails, MachineError
        for a file that this user may not read.
        """
        try:
            with open(self._path, "rb", opener=_at_once) as file:
                content = self._added(file) if stat.S_ISREG(os.fstat(file.fileno()).st_mode) else b""
        except OSError as error:
            pass_over(self._path, error)
            return ()
        self._offset += content.rfind(b"\n") + 1
        return tuple(line for line in content.split(b"\n") if line)

    def _added(self, file: BinaryIO) -> bytes:
        if file.seek(0, 2) < self._offset:
            self._offset = 0
        file.seek(self._offset)
        return file.read()


def decode_lines(lines: Iterable[bytes], wanted: type[Told]) -> Iterator[Told]:
    """Yield what lines of JSON tell; one that was cut off by a kill, or is none of `wanted`, is passed over."""
    for line in lines:
        try:
            yield msgspec.json.decode(line, type=wanted)
        except (msgspec.MsgspecError, RecursionError):
            continue


def is_cut_off(path: Path) -> bool:
    """Say whether the last line of a file has no end, as where a kill or a full disk cut it off."""
    try:
        with path.open("rb") as file:
            return file.seek(0, 2) > 0 and file.seek(-1, 2) >= 0 and file.read(1) != b"\n"
    except FileNotFoundError:
        return False


def pass_over(path: Path, error: OSError) -> None:
    """Raise `error` again unless it says that no file is there; MachineError where this user may not read it."""
    if isinstance(error, PermissionError):
        expected = "a file that this user may read"
        raise MachineError(str(path), found="permission denied", expected=expected) from error
    if error.errno not in NO_FILE:
        raise error


def _at_once(path: str, flags: int) -> int:
    """Open without waiting, as for the writer of a FIFO."""
    return os.open(path, flags | os.O_NONBLOCK)
