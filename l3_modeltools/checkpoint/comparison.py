"""Compares two checkpoints, or what two trainings became, tensor by tensor in little memory."""

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

__all__ = ["Compared", "Likeness", "compare_checkpoints"]

Likeness = Literal["equal", "differs", "other shape", "only in A", "only in B"]


@dataclass(frozen=True, kw_only=True, slots=True)
class Compared:
    """One entry of two checkpoints beside each other.

    `equal` means bit by bit. `max_absolute` is the largest difference of two elements, `max_relative` that by the
    largest magnitude in A; both are None where nothing can be subtracted, as of NaN.
    """

    name: str
    verdict: Likeness
    shape: tuple[int, ...] = ()
    differing: int = 0
    max_absolute: float | None = None
    max_relative: float | None = None


def compare_checkpoints(first: Path, second: Path) -> Iterator[Compared]:
    """Compare every entry, by name. The directories are trusted: an index is a pickle, which could run code."""
    from l3_modeltools.checkpoint.tensors import Side, compare_values

    ours, theirs = Side(first), Side(second)
    for name in sorted(ours.entries.keys() | theirs.entries.keys()):
        if name not in theirs.entries:
            yield Compared(name=name, verdict="only in A")
        elif name not in ours.entries:
            yield Compared(name=name, verdict="only in B")
        else:
            yield compare_values(name, ours.read(name), theirs.read(name))
