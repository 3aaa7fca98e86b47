"""Brings a saved state back into the tensors that are there, on any number of ranks."""

from collections.abc import Iterator, Mapping
from pathlib import Path

import torch
from torch.distributed.checkpoint.api import CheckpointException
from torch.distributed.checkpoint.default_planner import DefaultLoadPlanner
from torch.distributed.checkpoint.filesystem import FileSystemReader
from torch.distributed.checkpoint.metadata import Metadata, TensorStorageMetadata
from torch.distributed.checkpoint.planner import LoadPlan
from torch.distributed.checkpoint.state_dict_loader import load

from l0_infra.core.errors import OgaiError, UnhealthyError, UnsatisfiableError
from l0_infra.core.units import format_count
from l3_modeltools.checkpoint.alone import accept_one_process
from l3_modeltools.checkpoint.found import look_at
from l3_modeltools.schemas import Checkpoint

__all__ = ["load_state"]

SHOWN = 3
"""Differences told in an error; the rest is counted."""


def load_state(
    directory: Path, state: dict[str, object], *, architecture_sha256: str | None = None
) -> Checkpoint:
    """Load the checkpoint in `directory` into `state`, in place, and return its manifest.

    `state` has the names, shapes and types that were saved; its tensors are written to one by one, each rank
    reading what its shards need, and its other values are replaced. Nothing is changed when it does not fit:
    UnsatisfiableError for another architecture, name or shape, UnhealthyError for a damaged checkpoint. Hashes are
    for the caller to verify.
    """
    accept_one_process()
    found = look_at(directory)
    if found.fault or found.manifest is None:
        raise _damaged(directory, found.fault)
    if architecture_sha256 not in (None, found.manifest.architecture_sha256):
        raise _unfit(directory, "a checkpoint of a model of another architecture", "one of this model's")
    try:
        load(
            state,
            storage_reader=FileSystemReader(directory),
            planner=StrictPlanner(directory),
            no_dist=True,
        )
    except CheckpointException as error:
        ((cause, _),) = error.failures.values()
        raise (cause if isinstance(cause, OgaiError) else _damaged(directory, str(cause))) from error
    return found.manifest


class StrictPlanner(DefaultLoadPlanner):
    """Refuses a state that differs from the saved one in names, shapes or types, before anything is read."""

    def __init__(self, directory: Path) -> None:
        super().__init__()
        self.directory = directory

    def create_local_plan(self) -> LoadPlan:
        """Plan what this rank reads. Raises UnsatisfiableError."""
        if self.metadata is not None:
            _refuse_unfit(self.directory, self.state_dict, self.metadata)
        return super().create_local_plan()


def _refuse_unfit(directory: Path, state: Mapping[str, object], metadata: Metadata) -> None:
    differences = list(_differences(state, metadata))
    if differences:
        more = differences[SHOWN:]
        told = "; ".join(differences[:SHOWN])
        rest = f"; and {format_count(len(more), 'more difference')}" if more else ""
        raise _unfit(directory, told + rest, "the names, shapes and types of this training's state")


def _differences(state: Mapping[str, object], metadata: Metadata) -> Iterator[str]:
    saved = metadata.state_dict_metadata
    yield from (f"no `{name}`" for name in sorted(state.keys() - saved.keys()))
    yield from (f"`{name}`, which is not asked for" for name in sorted(saved.keys() - state.keys()))
    for name in sorted(state.keys() & saved.keys()):
        here, there = _described(state[name]), _described(saved[name])
        if here != there:
            yield f"`{name}` as {there}, not {here}"


def _described(value: object) -> str:
    if isinstance(value, torch.Tensor):
        return f"{str(value.dtype).removeprefix('torch.')} {list(value.shape)}"
    if isinstance(value, TensorStorageMetadata):
        return f"{str(value.properties.dtype).removeprefix('torch.')} {list(value.size)}"
    return "a value"


def _unfit(directory: Path, found: str, expected: str) -> UnsatisfiableError:
    hint = "resume with the model and optimizer it was saved from, or choose another run"
    return UnsatisfiableError(str(directory), found=found, expected=expected, hint=hint)


def _damaged(directory: Path, found: str) -> UnhealthyError:
    hint = f"`ogai checkpoint verify {directory}` says which file; an older checkpoint may be sound"
    return UnhealthyError(str(directory), found=found, expected="a whole checkpoint", hint=hint)
