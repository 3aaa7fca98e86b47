"""Compares two checkpoints, or what two trainings became, tensor by tensor in little memory."""

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

import torch
from torch.distributed.checkpoint.filesystem import FileSystemReader
from torch.distributed.checkpoint.metadata import TensorStorageMetadata
from torch.distributed.checkpoint.state_dict_loader import load

from l3_modeltools.checkpoint.alone import accept_one_process

__all__ = ["Comparison", "compare"]

Verdict = Literal["equal", "differs", "other shape", "only in A", "only in B"]


@dataclass(frozen=True, kw_only=True, slots=True)
class Comparison:
    """One entry of two checkpoints beside each other.

    `equal` means bit by bit. `max_absolute` is the largest difference of two elements, `max_relative` that of one
    element by its value in A; both are None where nothing can be subtracted, as of NaN.
    """

    name: str
    verdict: Verdict
    shape: tuple[int, ...] = ()
    differing: int = 0
    max_absolute: float | None = None
    max_relative: float | None = None


def compare(first: Path, second: Path) -> Iterator[Comparison]:
    """Compare every entry, by name. The directories are trusted: an index is a pickle, which could run code."""
    accept_one_process()
    ours, theirs = Side(first), Side(second)
    for name in sorted(ours.entries.keys() | theirs.entries.keys()):
        if name not in theirs.entries:
            yield Comparison(name=name, verdict="only in A")
        elif name not in ours.entries:
            yield Comparison(name=name, verdict="only in B")
        else:
            yield _compared(name, ours.read(name), theirs.read(name))


class Side:
    """One checkpoint, read entry by entry."""

    def __init__(self, directory: Path) -> None:
        self.reader = FileSystemReader(directory)
        self.entries = self.reader.read_metadata().state_dict_metadata

    def read(self, name: str) -> object:
        """Load one entry: a tensor, or any value."""
        entry = self.entries[name]
        state: dict[str, object] = {name: None}
        if isinstance(entry, TensorStorageMetadata):
            state[name] = torch.empty(entry.size, dtype=entry.properties.dtype)
        load(state, storage_reader=self.reader, no_dist=True)
        return state[name]


def _compared(name: str, ours: object, theirs: object) -> Comparison:
    if isinstance(ours, torch.Tensor) and isinstance(theirs, torch.Tensor):
        return _compared_tensors(name, ours, theirs)
    return Comparison(name=name, verdict="equal" if ours == theirs else "differs")


def _compared_tensors(name: str, ours: torch.Tensor, theirs: torch.Tensor) -> Comparison:
    shape = tuple(ours.shape)
    if ours.shape != theirs.shape or ours.dtype != theirs.dtype:
        return Comparison(name=name, verdict="other shape", shape=shape)
    unequal = (_bytes(ours) != _bytes(theirs)).any(dim=-1)
    if not unequal.any():
        return Comparison(name=name, verdict="equal", shape=shape)
    before, after = ours.flatten()[unequal].double(), theirs.flatten()[unequal].double()
    change = (after - before).abs()
    return Comparison(
        name=name,
        verdict="differs",
        shape=shape,
        differing=int(unequal.sum()),
        max_absolute=_finite(change.max()),
        max_relative=_finite((change / before.abs()).max()),
    )


def _bytes(tensor: torch.Tensor) -> torch.Tensor:
    """View a tensor's elements as rows of bytes."""
    return tensor.contiguous().view(-1, 1).view(torch.uint8)


def _finite(value: torch.Tensor) -> float | None:
    return float(value) if bool(value.isfinite()) else None
