"""Prepared data becomes the batches of each step: a function of manifests, mixture, seed and step alone.

The face is resolved on first use, so that a command that only reads documents need not load numpy.
"""

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from l3_modeltools.data.indexed import (
        HashedStream,
        IndexedFiles,
        IndexedReader,
        IndexedWriter,
    )

__all__ = ["HashedStream", "IndexedFiles", "IndexedReader", "IndexedWriter"]

HOMES = {
    "HashedStream": "indexed",
    "IndexedFiles": "indexed",
    "IndexedReader": "indexed",
    "IndexedWriter": "indexed",
}


def __getattr__(name: str) -> object:
    if name not in HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from importlib import import_module

    return getattr(import_module(f"{__name__}.{HOMES[name]}"), name)
