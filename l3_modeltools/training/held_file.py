"""A file that only grows, on a disk that may take nothing for a while: what it refuses is written later, in order."""

import errno
from collections.abc import Callable
from io import FileIO
from pathlib import Path

__all__ = ["HeldFile"]

MENDED_LATER = frozenset([errno.ENOSPC, errno.EDQUOT, errno.EROFS])
"""What a disk says that takes more one day."""


class HeldFile:
    """One such file, made when there is something to write; `say` hears once of each time in which it is behind."""

    def __init__(self, path: Path, say: Callable[[str], None] = lambda line: None, held: bytes = b"") -> None:
        self.path, self.say, self.held = path, say, held
        self.file: FileIO | None = None
        self.is_behind = False

    def append(self, content: bytes) -> None:
        """Append some bytes. Raises OSError where the disk is broken, not where it is full or read-only."""
        self.held += content
        self._write()

    def close(self) -> None:
        """Write what is held, if the disk takes it now, and close the file."""
        if self.held:
            self._write()
        if self.file is not None:
            self.file.close()

    def _write(self) -> None:
        try:
            file = self.file = self.file or self._open()
            while self.held:
                self.held = self.held[file.write(self.held) :]
        except OSError as error:
            if error.errno not in MENDED_LATER:
                raise
            self._tell((error.strerror or str(error)).lower())
        else:
            self.is_behind = False

    def _open(self) -> FileIO:
        self.path.parent.mkdir(parents=True, exist_ok=True)
        return FileIO(self.path, "a")

    def _tell(self, reason: str) -> None:
        if not self.is_behind:
            self.is_behind = True
            self.say(f"{self.path.name} is behind: {reason}; it catches up when the disk takes it")
