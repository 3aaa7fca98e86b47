"""The trained model of a run, read from its checkpoints by one process alone, without a process group."""

import warnings
from dataclasses import dataclass
from pathlib import Path

import msgspec
from torch import nn
from torch.distributed.checkpoint.api import CheckpointException
from torch.distributed.checkpoint.filesystem import FileSystemReader
from torch.distributed.checkpoint.state_dict import StateDictOptions, get_model_state_dict
from torch.distributed.checkpoint.state_dict_loader import load

from l0_infra.core.documents import read_document
from l0_infra.core.errors import UnhealthyError, UnsatisfiableError, UsageError
from l3_modeltools.checkpoint import CHECKPOINTS, Found, Shelf, architecture_sha256, verify
from l3_modeltools.schemas import Architecture, Checkpoint, Run, Train
from l3_modeltools.training.model import build_model

__all__ = ["Restored", "restore_run"]

Chosen = tuple[Path, Checkpoint, tuple[Found, ...]]
"""The directory of a sound checkpoint, its manifest, and the newer ones passed over."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Restored:
    """A run's model on the CPU, in fp32 and evaluating, as of a checkpoint; `passed_over` are newer, damaged ones."""

    run: Run
    architecture: Architecture
    model: nn.Module
    manifest: Checkpoint
    passed_over: tuple[Found, ...]

    @property
    def manifests(self) -> tuple[Path, ...]:
        """The manifests of the data sets it was trained on."""
        data = self.run.train.data
        return tuple(Path(part.dataset) for part in data.mixture) if data else ()

    @property
    def tokenizer(self) -> Path:
        """The directory of the tokenizer it was trained with."""
        return self.manifests[0].parent / "tokenizer"


def restore_run(run_directory: Path, step: int | None = None) -> Restored:
    """Load the weights of a step, or of the newest sound checkpoint, every byte of which was verified.

    Raises UsageError for a run that is not ogai's own, UnsatisfiableError for a step that was not saved, UnhealthyError
    for a damaged checkpoint.
    """
    run = read_document(run_directory / "run.json", expect=Run)
    architecture = run.train.model.architecture if run.train.model else None
    if not isinstance(architecture, Architecture):
        where = str(run_directory / "run.json")
        raise UsageError(where, found="no architecture", expected="a run of the framework `ogai`")
    shelf, sha256 = Shelf(run_directory / CHECKPOINTS), architecture_sha256(architecture)
    directory, manifest, passed_over = (
        _newest(shelf, run.run_id, sha256) if step is None else _of_step(shelf, run.run_id, sha256, step)
    )
    model = build_model(_without_first_weights(run.train), architecture, seed=0)
    _load_weights(model, directory)
    return Restored(
        run=run,
        architecture=architecture,
        model=model.eval(),
        manifest=manifest,
        passed_over=passed_over,
    )


def _newest(shelf: Shelf, run: str, sha256: str) -> Chosen:
    found, passed_over = shelf.newest_valid(run=run, architecture_sha256=sha256, verify="hashes")
    if found and found.manifest:
        return found.directory, found.manifest, passed_over
    newest = f"; {passed_over[0].directory.name}: {passed_over[0].fault}" if passed_over else ""
    raise UnhealthyError(
        str(shelf.directory), found=f"no sound checkpoint{newest}", expected="one that can be loaded"
    )


def _of_step(shelf: Shelf, run: str, sha256: str, step: int) -> Chosen:
    held = shelf.found()
    judged = [verify(found) for found in held if found.step == step]
    for found in judged:
        manifest = found.manifest
        if manifest and not found.fault and (manifest.run, manifest.architecture_sha256) == (run, sha256):
            return found.directory, manifest, ()
    for found in judged:
        fault = found.fault or "a checkpoint of another run"
        raise UnhealthyError(
            str(found.directory), found=fault, expected=f"a whole checkpoint of the run `{run}`"
        )
    sound = ", ".join(str(found.step) for found in held if not found.fault)
    raise UnsatisfiableError(
        str(shelf.directory),
        found=f"no checkpoint of step {step}",
        expected=f"one of the steps {sound}" if sound else "a step that was saved",
    )


def _without_first_weights(train: Train) -> Train:
    """Leave out the first weights where all of them were trained, for the checkpoint holds them."""
    if train.model is None or train.model.lora is not None:
        return train
    return msgspec.structs.replace(train, model=msgspec.structs.replace(train.model, init_from=None))


def _load_weights(model: nn.Module, directory: Path) -> None:
    """Fill in what was trained, one tensor at a time; the optimizer's state stays on the disk."""
    frozen = not all(parameter.requires_grad for parameter in model.parameters())
    weights = get_model_state_dict(model, options=StateDictOptions(ignore_frozen_params=frozen))
    try:
        with warnings.catch_warnings():  # one process alone is what is wanted
            warnings.filterwarnings("ignore", "torch.distributed is disabled", UserWarning)
            load({"model": weights}, storage_reader=FileSystemReader(directory), no_dist=True)
    except CheckpointException as error:
        ((cause, _),) = error.failures.values()
        raise UnhealthyError(
            str(directory), found=str(cause), expected="a checkpoint of this run's model"
        ) from error
