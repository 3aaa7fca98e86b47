"""Prepared data becomes the batches of each step: a function of manifests, mixture, seed and step alone.

The face is resolved on first use, so that who only finds a data set need not load torch.
"""

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from l3_modeltools.data.batch import IGNORED, Batch, PairBatch, document_mask
    from l3_modeltools.data.dataset import PreparedDataset, Split, find_dataset, open_dataset
    from l3_modeltools.data.indexed import HashedStream, IndexedFiles, IndexedReader, IndexedWriter
    from l3_modeltools.data.loader import Loader
    from l3_modeltools.data.order import Samples

__all__ = [
    "IGNORED",
    "Batch",
    "HashedStream",
    "IndexedFiles",
    "IndexedReader",
    "IndexedWriter",
    "Loader",
    "PairBatch",
    "PreparedDataset",
    "Samples",
    "Split",
    "document_mask",
    "find_dataset",
    "open_dataset",
]

HOMES = {
    "Batch": "batch",
    "HashedStream": "indexed",
    "IGNORED": "batch",
    "IndexedFiles": "indexed",
    "IndexedReader": "indexed",
    "IndexedWriter": "indexed",
    "Loader": "loader",
    "PairBatch": "batch",
    "PreparedDataset": "dataset",
    "Samples": "order",
    "Split": "dataset",
    "document_mask": "batch",
    "find_dataset": "dataset",
    "open_dataset": "dataset",
}


def __getattr__(name: str) -> object:
    if name not in HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from importlib import import_module

    return getattr(import_module(f"{__name__}.{HOMES[name]}"), name)
