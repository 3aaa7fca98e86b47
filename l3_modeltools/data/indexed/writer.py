"""Documents become a .bin and an .idx, in memory that does not grow with their number."""

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryFile
from types import TracebackType
from typing import Self

import numpy as np
import numpy.typing as npt

from l0_infra.core.errors import UsageError
from l0_infra.core.store import sync_directory
from l3_modeltools.data.indexed.layout import IndexHeader, TokenDtype, Tokens, render_header
from l3_modeltools.data.indexed.stream import HashedStream
from l3_modeltools.schemas import HashedFile

__all__ = ["IndexedFiles", "IndexedWriter"]

CHUNK = 2**18
"""Entries of the index that are held at once."""


@dataclass(frozen=True, kw_only=True, slots=True)
class IndexedFiles:
    """What was published, as a manifest's shard has it."""

    documents: int
    tokens: int
    bin: HashedFile
    idx: HashedFile
    mask: HashedFile | None


class IndexedWriter:
    """Writes `STEM.bin`, `STEM.mask` where answers are marked, and `STEM.idx`, which appears last.

    Use it as a context: what was not published when the context ends is removed.
    """

    def __init__(self, stem: Path, dtype: TokenDtype, *, masked: bool = False) -> None:
        self.stem = stem
        self.dtype = np.dtype(dtype).newbyteorder("<")
        self.documents = 0
        self.tokens = 0
        self._bin = HashedStream(stem.with_name(f"{stem.name}.bin"))
        self._mask = HashedStream(stem.with_name(f"{stem.name}.mask")) if masked else None
        self._idx = HashedStream(stem.with_name(f"{stem.name}.idx"))
        self._lengths = TemporaryFile(dir=stem.parent)  # noqa: SIM115 - lives as long as the writer

    def add(self, tokens: Tokens, mask: npt.NDArray[np.uint8] | None = None) -> None:
        """Append one document."""
        self.add_batch(tokens, np.array([tokens.size]), mask)

    def add_batch(self, tokens: Tokens, lengths: Tokens, mask: npt.NDArray[np.uint8] | None = None) -> None:
        """Append many documents: their tokens one after the other, the length of each, a mask of 0 and 1.

        Raises UsageError when the lengths do not add up, or a token does not fit how tokens are stored.
        """
        self._check(tokens, lengths, mask)
        self._bin.write(tokens.astype(self.dtype, copy=False))
        if self._mask and mask is not None:
            self._mask.write(mask.astype("u1", copy=False))
        self._lengths.write(lengths.astype("<i4").tobytes())
        self.documents += lengths.size
        self.tokens += tokens.size

    def publish(self) -> IndexedFiles:
        """Finish the files and give them their names, the .idx last; all is on the disk when this returns."""
        self._write_index()
        self._idx.sync()
        bin_file, mask = self._bin.publish(), self._mask.publish() if self._mask else None
        sync_directory(self.stem.parent)
        idx = self._idx.publish()
        sync_directory(self.stem.parent)
        return IndexedFiles(documents=self.documents, tokens=self.tokens, bin=bin_file, idx=idx, mask=mask)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._lengths.close()
        for stream in (self._bin, self._mask, self._idx):
            if stream:
                stream.abandon()

    def _check(self, tokens: Tokens, lengths: Tokens, mask: npt.NDArray[np.uint8] | None) -> None:
        where = str(self.stem)
        if lengths.size and (lengths.min() < 0 or lengths.max() > np.iinfo("i4").max):
            raise UsageError(where, found=f"a document of {lengths.max()} tokens", expected="0 to 2^31 - 1")
        if lengths.sum() != tokens.size:
            raise UsageError(where, found=f"lengths of {lengths.sum()}", expected=f"{tokens.size} in all")
        if (None if mask is None else mask.size) != (tokens.size if self._mask else None):
            found = "no mask" if mask is None else f"a mask of {mask.size}"
            raise UsageError(where, found=found, expected=f"{tokens.size}" if self._mask else "none")
        bounds = np.iinfo(self.dtype)
        if tokens.size and tokens.dtype != self.dtype:
            low, high = int(tokens.min()), int(tokens.max())
            if low < 0 or high > bounds.max:
                raise UsageError(where, found=f"tokens from {low} to {high}", expected=f"0 to {bounds.max}")

    def _write_index(self) -> None:
        entries = self.documents + 1
        header = IndexHeader(dtype=self.dtype, sequences=self.documents, entries=entries)
        self._idx.write(render_header(header))
        for lengths in self._spooled():
            self._idx.write(lengths)
        begin = 0
        for lengths in self._spooled():
            ends = begin + np.cumsum(lengths, dtype="<i8") * self.dtype.itemsize
            self._idx.write(ends - lengths.astype("<i8") * self.dtype.itemsize)
            begin = int(ends[-1])
        for first in range(0, entries, CHUNK):
            self._idx.write(np.arange(first, min(first + CHUNK, entries), dtype="<i8"))

    def _spooled(self) -> Iterator[npt.NDArray[np.int32]]:
        self._lengths.seek(0)
        while content := self._lengths.read(CHUNK * 4):
            yield np.frombuffer(content, dtype="<i4")
