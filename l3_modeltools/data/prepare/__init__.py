"""Files of text become a data set: read, deduplicated, encoded, written as shards with a manifest.

The face is resolved on first use, so that a command's help loads no numpy.
"""

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from l3_modeltools.data.prepare.inspect import (
        Decoded,
        Inspection,
        StoredDataset,
        decode_documents,
        inspect_dataset,
        list_datasets,
    )
    from l3_modeltools.data.prepare.prepare import Prepared, prepare_dataset
    from l3_modeltools.data.prepare.progress import Progress
    from l3_modeltools.data.prepare.verify import Verification, verify_dataset

__all__ = [
    "Decoded",
    "Inspection",
    "Prepared",
    "Progress",
    "StoredDataset",
    "Verification",
    "decode_documents",
    "inspect_dataset",
    "list_datasets",
    "prepare_dataset",
    "verify_dataset",
]

HOMES = {
    "Decoded": "inspect",
    "Inspection": "inspect",
    "Prepared": "prepare",
    "Progress": "progress",
    "StoredDataset": "inspect",
    "Verification": "verify",
    "decode_documents": "inspect",
    "inspect_dataset": "inspect",
    "list_datasets": "inspect",
    "prepare_dataset": "prepare",
    "verify_dataset": "verify",
}


def __getattr__(name: str) -> object:
    if name not in HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from importlib import import_module

    return getattr(import_module(f"{__name__}.{HOMES[name]}"), name)
