"""A corpus is cut into parts, each read by one process and kept when done; the cut depends on the inputs alone."""

from collections.abc import Iterator
from dataclasses import dataclass

from l3_modeltools.data.prepare.origin import Input, Origin

__all__ = ["Slice", "WorkPart", "cut_parts"]

PART_BYTES = 2**20
"""Bytes from which on a part is full."""

MOST_PARTS = 2**12
"""A corpus too large for so many parts has larger ones."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Slice:
    """Pieces `start` to `stop` of one file of a source."""

    file: Input
    start: int
    stop: int


@dataclass(frozen=True, kw_only=True, slots=True)
class WorkPart:
    """What is read as one: slices of one source, and about how many bytes they are."""

    index: int
    source: int
    slices: tuple[Slice, ...]
    size_bytes: int


def cut_parts(origin: Origin) -> tuple[WorkPart, ...]:
    """Cut all files of all sources, in order; no part has slices of two sources."""
    total = sum(file.size_bytes for files in origin.inputs for file in files)
    full = PART_BYTES
    while total > full * MOST_PARTS:
        full *= 2
    parts: list[WorkPart] = []
    for source, files in enumerate(origin.inputs):
        for slices, size in _gathered(_runs(files, full), full):
            parts.append(WorkPart(index=len(parts), source=source, slices=slices, size_bytes=size))
    return tuple(parts)


def _runs(files: tuple[Input, ...], full: int) -> Iterator[tuple[Slice, int]]:
    """Yield slices of at most `full` bytes, unless one piece alone is more."""
    for file in files:
        start = size = 0
        for index, piece in enumerate(file.pieces):
            if size and size + piece > full:
                yield Slice(file=file, start=start, stop=index), size
                start, size = index, 0
            size += piece
        if start < len(file.pieces):
            yield Slice(file=file, start=start, stop=len(file.pieces)), size


def _gathered(runs: Iterator[tuple[Slice, int]], full: int) -> Iterator[tuple[tuple[Slice, ...], int]]:
    """Yield small slices together, until they are `full` bytes."""
    waiting: list[Slice] = []
    size = 0
    for piece, piece_bytes in runs:
        waiting.append(piece)
        size += piece_bytes
        if size >= full:
            yield tuple(waiting), size
            waiting, size = [], 0
    if waiting:
        yield tuple(waiting), size
