"""Tokens that Megatron-LM's tools stored are read as they are."""

from collections.abc import Iterator
from pathlib import Path

import numpy as np

from l3_modeltools.data.indexed import IndexedReader, Tokens

__all__ = ["block_sizes", "read_blocks"]

BLOCK_DOCUMENTS = 1024


def block_sizes(idx_path: Path) -> tuple[int, ...]:
    """Return the bytes of each block of documents. Raises UnsatisfiableError for a damaged pair of files."""
    reader = IndexedReader(idx_path.with_suffix(""))
    starts = range(0, reader.documents, BLOCK_DOCUMENTS)
    if not starts:
        return ()
    sizes = np.add.reduceat(reader.lengths, np.array(starts)) * reader.dtype.itemsize
    return tuple(int(size) for size in sizes)


def read_blocks(idx_path: Path, start: int, stop: int) -> Iterator[Tokens]:
    """Yield the documents of the blocks `start` to `stop`."""
    reader = IndexedReader(idx_path.with_suffix(""))
    for index in range(start * BLOCK_DOCUMENTS, min(stop * BLOCK_DOCUMENTS, reader.documents)):
        yield reader.document(index)
