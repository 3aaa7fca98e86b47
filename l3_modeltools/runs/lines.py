"""A file of lines that grows, is cut off by kills and goes on: each whole line is read once."""

from pathlib import Path

__all__ = ["LineReader"]


class LineReader:
    """Reads a growing file; what stands behind its last line end is read, and read again until it has ended."""

    def __init__(self, path: Path) -> None:
        """Take the file, which need not exist yet."""
        self._path = path
        self._offset = 0

    def read(self) -> tuple[bytes, ...]:
        """Return the lines added since the last call, and the unfinished one; a file that shrank starts again."""
        try:
            with self._path.open("rb") as file:
                if file.seek(0, 2) < self._offset:
                    self._offset = 0
                file.seek(self._offset)
                content = file.read()
        except (FileNotFoundError, NotADirectoryError):
            return ()
        self._offset += content.rfind(b"\n") + 1
        return tuple(line for line in content.split(b"\n") if line)
