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
    from l3_modeltools.data.prepare import (
        Decoded,
        Inspection,
        Prepared,
        Progress,
        StoredDataset,
        Verification,
        decode_documents,
        inspect_dataset,
        list_datasets,
        prepare_dataset,
        verify_dataset,
    )

__all__ = [
    "CHATML",
    "IGNORED",
    "Batch",
    "ChatTemplate",
    "Decoded",
    "EncodedChat",
    "HashedStream",
    "IndexedFiles",
    "IndexedReader",
    "IndexedWriter",
    "Inspection",
    "Loader",
    "PairBatch",
    "Prefetch",
    "Prepared",
    "PreparedDataset",
    "Progress",
    "Samples",
    "Split",
    "StoredDataset",
    "Verification",
    "decode_documents",
    "document_mask",
    "encode_chat",
    "encode_pair",
    "find_dataset",
    "inspect_dataset",
    "list_datasets",
    "open_dataset",
    "prepare_dataset",
    "verify_dataset",
]

HOMES = {
    "Batch": "batch",
    "CHATML": "chat_template",
    "ChatTemplate": "chat_template",
    "Decoded": "prepare",
    "EncodedChat": "chat",
    "HashedStream": "indexed",
    "IGNORED": "batch",
    "IndexedFiles": "indexed",
    "IndexedReader": "indexed",
    "IndexedWriter": "indexed",
    "Inspection": "prepare",
    "Loader": "loader",
    "PairBatch": "batch",
    "Prefetch": "prefetch",
    "Prepared": "prepare",
    "PreparedDataset": "dataset",
    "Progress": "prepare",
    "Samples": "order",
    "Split": "dataset",
    "StoredDataset": "prepare",
    "Verification": "prepare",
    "decode_documents": "prepare",
    "document_mask": "batch",
    "encode_chat": "chat",
    "encode_pair": "chat",
    "find_dataset": "dataset",
    "inspect_dataset": "prepare",
    "list_datasets": "prepare",
    "open_dataset": "dataset",
    "prepare_dataset": "prepare",
    "verify_dataset": "prepare",
}


def __getattr__(name: str) -> object:
    if name not in HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from importlib import import_module

    return getattr(import_module(f"{__name__}.{HOMES[name]}"), name)
