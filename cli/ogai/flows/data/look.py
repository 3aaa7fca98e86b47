"""Data sets looked at: all of them, one of them, whether one is still what it was."""

import os
from collections.abc import Iterator

from l0_infra.core.errors import UnhealthyError
from l0_infra.core.store import ogai_home
from l3_modeltools import (
    Decoded,
    Inspection,
    StoredDataset,
    Verification,
    decode_documents,
    inspect_dataset,
    list_datasets,
    verify_dataset,
)
from ogai.flows.data.place import cpus, manifest_of

__all__ = ["damaged", "decode", "inspect", "poll", "verify"]


def poll() -> tuple[StoredDataset, ...]:
    """Return all data sets of `OGAI_HOME/datasets` that can be read, by name."""
    return list_datasets(ogai_home(os.environ) / "datasets")[0]


def damaged() -> tuple[UnhealthyError, ...]:
    """Say what is wrong with those that cannot."""
    return list_datasets(ogai_home(os.environ) / "datasets")[1]


def inspect(reference: str) -> Inspection:
    """Return a data set by name or path, and the lengths of its documents."""
    return inspect_dataset(manifest_of(reference))


def decode(reference: str, count: int) -> Iterator[Decoded]:
    """Yield the first `count` documents of its training split as text."""
    return decode_documents(manifest_of(reference), count)


def verify(reference: str) -> Verification:
    """Hash every file of a data set and look at every index and token; faults are in the result."""
    return verify_dataset(manifest_of(reference), workers=cpus())
