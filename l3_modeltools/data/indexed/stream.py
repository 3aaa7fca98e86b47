"""A large file that is hashed while it is written, and has its name only when it is whole."""

import os
from hashlib import sha256
from pathlib import Path

import numpy as np
import numpy.typing as npt

from l3_modeltools.schemas import HashedFile

__all__ = ["HashedStream"]


class HashedStream:
    """Written front to back as `NAME.partial`; `publish` gives it its name."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.size_bytes = 0
        self._partial = path.with_name(f"{path.name}.partial")
        self._digest = sha256()
        self._file = self._partial.open("wb")

    def write(self, content: bytes | npt.NDArray[np.generic]) -> None:
        """Append bytes, or an array as it lies in memory."""
        raw = (
            content
            if isinstance(content, bytes)
            else np.ascontiguousarray(content).reshape(-1).view("u1").data
        )
        self._file.write(raw)
        self._digest.update(raw)
        self.size_bytes += len(raw)

    def sync(self) -> None:
        """Wait until what was written is on the disk."""
        self._file.flush()
        os.fsync(self._file.fileno())

    def publish(self) -> HashedFile:
        """Give the file its name, durably but for the directory's own entry; return it by its content."""
        self.sync()
        self._file.close()
        self._partial.rename(self.path)
        return HashedFile(name=self.path.name, size_bytes=self.size_bytes, sha256=self._digest.hexdigest())

    def abandon(self) -> None:
        """Remove what was written, unless it was published."""
        self._file.close()
        self._partial.unlink(missing_ok=True)
