"""Tokens on disk as Megatron's indexed dataset: a .bin of tokens, and an .idx of where each document begins."""

from l3_modeltools.data.indexed.layout import TokenDtype, Tokens
from l3_modeltools.data.indexed.reader import IndexedReader, map_file
from l3_modeltools.data.indexed.stream import HashedStream
from l3_modeltools.data.indexed.writer import IndexedFiles, IndexedWriter

__all__ = [
    "HashedStream",
    "IndexedFiles",
    "IndexedReader",
    "IndexedWriter",
    "TokenDtype",
    "Tokens",
    "map_file",
]
