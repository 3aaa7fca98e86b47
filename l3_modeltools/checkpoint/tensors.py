"""The entries of a checkpoint, read one by one, and the differences of two of them."""

from pathlib import Path

import torch
from torch.distributed.checkpoint.api import CheckpointException
from torch.distributed.checkpoint.filesystem import FileSystemReader
from torch.distributed.checkpoint.metadata import TensorStorageMetadata
from torch.distributed.checkpoint.state_dict_loader import load

from l0_infra.core.errors import UnhealthyError
from l3_modeltools.checkpoint.alone import accept_one_process
from l3_modeltools.checkpoint.comparison import Compared

__all__ = ["Side", "compare_values"]


class Side:
    """One checkpoint, read entry by entry."""

    def __init__(self, directory: Path) -> None:
        accept_one_process()
        self.directory = directory
        self.reader = FileSystemReader(directory)
        try:
            self.entries = self.reader.read_metadata().state_dict_metadata
        except OSError as error:
            raise self._gone() from error

    def read(self, name: str) -> object:
        """Load one entry: a tensor, or any value. Raises UnhealthyError when its file has gone meanwhile."""
        entry = self.entries[name]
        state: dict[str, object] = {name: None}
        if isinstance(entry, TensorStorageMetadata):
            state[name] = torch.empty(entry.size, dtype=entry.properties.dtype)
        try:
            load(state, storage_reader=self.reader, no_dist=True)
        except (OSError, CheckpointException) as error:
            if self.directory.exists():
                raise
            raise self._gone() from error
        return state[name]

    def _gone(self) -> UnhealthyError:
        return UnhealthyError(
            str(self.directory),
            found="a checkpoint that was removed while it was read",
            expected="one that stays",
            hint="its run keeps only the newest ones; choose a later step, or raise `checkpoint.keep_last`",
            retry=True,
        )


def compare_values(name: str, ours: object, theirs: object) -> Compared:
    """Compare one entry of A with that of B."""
    if isinstance(ours, torch.Tensor) and isinstance(theirs, torch.Tensor):
        return _compared_tensors(name, ours, theirs)
    return Compared(name=name, verdict="equal" if ours == theirs else "differs")


def _compared_tensors(name: str, ours: torch.Tensor, theirs: torch.Tensor) -> Compared:
    shape = tuple(ours.shape)
    if ours.shape != theirs.shape or ours.dtype != theirs.dtype:
        return Compared(name=name, verdict="other shape", shape=shape)
    unequal = (_bytes(ours) != _bytes(theirs)).any(dim=-1)
    if not unequal.any():
        return Compared(name=name, verdict="equal", shape=shape)
    before, after = ours.flatten()[unequal].double(), theirs.flatten()[unequal].double()
    change = (after - before).abs()
    return Compared(
        name=name,
        verdict="differs",
        shape=shape,
        differing=int(unequal.sum()),
        max_absolute=_finite(change.max()),
        max_relative=_finite(change.max() / ours.double().abs().max()),
    )


def _bytes(tensor: torch.Tensor) -> torch.Tensor:
    """View a tensor's elements as rows of bytes."""
    return tensor.contiguous().view(-1, 1).view(torch.uint8)


def _finite(value: torch.Tensor) -> float | None:
    return float(value) if bool(value.isfinite()) else None
