"""Prepared data becomes the batches of each step: a function of manifests, mixture, seed and step alone.

The face is resolved on first use, so that who only finds a data set need not load torch.
"""

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from l3_modeltools.data.batch import IGNORED, Batch, PairBatch, document_mask
    from l3_modeltools.data.chat import EncodedChat, encode_chat, encode_pair
    from l3_modeltools.data.chat_template import CHATML, ChatTemplate
    from l3_modeltools.data.dataset import PreparedDataset, Split, find_dataset, open_dataset
    from l3_modeltools.data.indexed import HashedStream, IndexedFiles, IndexedReader, IndexedWriter
    from l3_modeltools.data.loader import Loader
    from l3_modeltools.data.order import Samples
    from l3_modeltools.data.prefetch import Prefetch

__all__ = [
    "CHATML",
    "IGNORED",
    "Batch",
    "ChatTemplate",
    "EncodedChat",
    "HashedStream",
    "IndexedFiles",
    "IndexedReader",
    "IndexedWriter",
    "Loader",
    "PairBatch",
    "Prefetch",
    "PreparedDataset",
    "Samples",
    "Split",
    "document_mask",
    "encode_chat",
    "encode_pair",
    "find_dataset",
    "open_dataset",
]

HOMES = {
    "Batch": "batch",
    "CHATML": "chat_template",
    "ChatTemplate": "chat_template",
    "EncodedChat": "chat",
    "HashedStream": "indexed",
    "IGNORED": "batch",
    "IndexedFiles": "indexed",
    "IndexedReader": "indexed",
    "IndexedWriter": "indexed",
    "Loader": "loader",
    "PairBatch": "batch",
    "Prefetch": "prefetch",
    "PreparedDataset": "dataset",
    "Samples": "order",
    "Split": "dataset",
    "document_mask": "batch",
    "encode_chat": "chat",
    "encode_pair": "chat",
    "find_dataset": "dataset",
    "open_dataset": "dataset",
}


def __getattr__(name: str) -> object:
    if name not in HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from importlib import import_module

    return getattr(import_module(f"{__name__}.{HOMES[name]}"), name)
