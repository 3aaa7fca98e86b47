"""A .bin and .idx are read in place: memory-mapped, and never beyond what they hold."""

import mmap
from functools import cached_property
from pathlib import Path
from stat import S_ISREG

import numpy as np
import numpy.typing as npt

from l0_infra.core.errors import describe_os_error
from l3_modeltools.data.indexed.layout import (
    HEADER_BYTES,
    IndexHeader,
    Tokens,
    bad_file,
    parse_header,
)

__all__ = ["IndexedReader", "map_file"]

CHUNK = 2**18


class IndexedReader:
    """The documents of `STEM.bin` and `STEM.idx`, of ogai or of Megatron-LM.

    Opening looks at sizes and ends only; a document's own entries are looked at when it is asked for, all of
    them by `check`. Raises UnsatisfiableError that names the file, where it is truncated, damaged or foreign.
    """

    def __init__(self, stem: Path) -> None:
        self.bin_path = stem.with_name(f"{stem.name}.bin")
        self.idx_path = stem.with_name(f"{stem.name}.idx")
        index = map_file(self.idx_path)
        header = parse_header(index[:HEADER_BYTES].tobytes(), where=self.idx_path)
        self._check_size(index.size, header)
        self._lengths = index[HEADER_BYTES:][: 4 * header.sequences].view("<i4")
        self._offsets = index[HEADER_BYTES + 4 * header.sequences :][: 8 * header.sequences].view("<i8")
        self._firsts = index[HEADER_BYTES + 12 * header.sequences :].view("<i8")
        self.dtype = header.dtype
        content = map_file(self.bin_path)
        self._check_ends(content.size)
        self.stored: Tokens = content.view(header.dtype)
        """All tokens, one document after the other, as they are stored."""

    @property
    def documents(self) -> int:
        """How many documents there are."""
        return int(self._firsts.size - 1)

    @property
    def tokens(self) -> int:
        """How many tokens there are."""
        return int(self.stored.size)

    @cached_property
    def lengths(self) -> npt.NDArray[np.int64]:
        """Tokens of each document."""
        self.check()
        ends = np.append(self._offsets, self.stored.nbytes)
        sizes: npt.NDArray[np.int64] = np.diff(ends[self._firsts])
        return sizes // self.dtype.itemsize

    def document(self, index: int) -> Tokens:
        """Return the tokens of one document, without copying."""
        start, stop = self.bounds(index)
        return self.stored[start:stop]

    def bounds(self, index: int) -> tuple[int, int]:
        """Return where a document begins and ends among all tokens. Raises IndexError when there is none."""
        if not 0 <= index < self.documents:
            raise IndexError(f"document {index} of {self.documents}")
        first, last = int(self._firsts[index]), int(self._firsts[index + 1])
        if not 0 <= first <= last <= self._lengths.size:
            raise bad_file(self.idx_path, f"document {index} of sequences {first} to {last}", "an order")
        start, stop = self._offset(first), self._offset(last)
        size = int(self._lengths[first:last].sum(dtype=np.int64)) * self.dtype.itemsize
        if not 0 <= start <= stop <= self.stored.nbytes or stop - start != size:
            found = f"document {index} of {size} bytes from {start} to {stop}"
            raise bad_file(self.idx_path, found, f"bytes within the {self.stored.nbytes} of the .bin")
        return start // self.dtype.itemsize, stop // self.dtype.itemsize

    def window(self, start: int, stop: int) -> Tokens:
        """Return tokens as they lie, across documents. Raises IndexError outside of the file."""
        if not 0 <= start <= stop <= self.tokens:
            raise IndexError(f"tokens {start} to {stop} of {self.tokens}")
        return self.stored[start:stop]

    def check(self) -> None:
        """Look at every entry of the index. Raises UnsatisfiableError for the first that is wrong."""
        expected = 0
        for first in range(0, self._lengths.size, CHUNK):
            sizes = self._lengths[first : first + CHUNK].astype(np.int64) * self.dtype.itemsize
            offsets = np.concatenate(([expected], expected + np.cumsum(sizes)))
            wrong = np.flatnonzero((self._offsets[first : first + CHUNK] != offsets[:-1]) | (sizes < 0))
            if wrong.size:
                at = int(wrong[0])
                found = f"sequence {first + at} at byte {self._offsets[first + at]}, {sizes[at]} bytes long"
                raise bad_file(self.idx_path, found, f"byte {offsets[at]}, where the one before ends")
            expected = int(offsets[-1])
        for first in range(0, self.documents, CHUNK):
            firsts = self._firsts[first : first + CHUNK + 1]
            if (np.diff(firsts) < 0).any():
                raise bad_file(self.idx_path, f"documents from {first} on in disorder", "rising entries")

    def _offset(self, sequence: int) -> int:
        return int(self._offsets[sequence]) if sequence < self._offsets.size else self.stored.nbytes

    def _check_size(self, size: int, header: IndexHeader) -> None:
        if size != header.index_bytes or not header.entries:
            found = f"{size} bytes"
            expected = f"{header.index_bytes} for {header.sequences} sequences and {header.entries} entries"
            raise bad_file(self.idx_path, found, expected)

    def _check_ends(self, bin_bytes: int) -> None:
        ends = (int(self._firsts[0]), int(self._firsts[-1]))
        if ends != (0, self._lengths.size):
            expected = f"0 to {self._lengths.size}"
            raise bad_file(self.idx_path, f"documents over sequences {ends[0]} to {ends[1]}", expected)
        last = int(self._offsets[-1]) + int(self._lengths[-1]) * self.dtype.itemsize if ends[1] else 0
        if bin_bytes != last:
            raise bad_file(self.bin_path, f"{bin_bytes} bytes", f"{last}, as {self.idx_path.name} says")


def map_file(path: Path) -> npt.NDArray[np.uint8]:
    """Map a file into memory, to be read only. Raises UnsatisfiableError when it cannot be opened."""
    try:
        if not S_ISREG(path.stat().st_mode):
            raise bad_file(path, "no regular file", "a file that can be read")
        with path.open("rb") as file:
            if not file.seek(0, 2):
                return np.empty(0, dtype=np.uint8)
            return np.frombuffer(mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ), dtype=np.uint8)
    except OSError as error:
        raise bad_file(path, describe_os_error(error), "a file that can be read") from error
