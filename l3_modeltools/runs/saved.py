"""The checkpoints of a run that count, as its document lists them."""

import hashlib
from collections.abc import Iterator
from pathlib import Path

from l0_infra.core.store import load_file
from l3_modeltools.checkpoint import MANIFEST, Shelf
from l3_modeltools.runs.layout import RunLayout
from l3_modeltools.schemas import SavedCheckpoint

__all__ = ["list_saved"]


def list_saved(directory: Path) -> tuple[SavedCheckpoint, ...]:
    """List what the run in `directory` can be resumed from, judged by manifests and sizes, the oldest first."""
    return tuple(_sound(directory))


def _sound(directory: Path) -> Iterator[SavedCheckpoint]:
    for found in Shelf(RunLayout(directory).checkpoints).found():
        if found.fault:
            continue
        try:
            manifest = load_file(found.directory / MANIFEST)
        except OSError:  # removed meanwhile to keep to the budget
            continue
        yield SavedCheckpoint(
            step=found.step,
            directory=str(found.directory.relative_to(directory)),
            manifest_sha256=hashlib.sha256(manifest).hexdigest(),
        )
