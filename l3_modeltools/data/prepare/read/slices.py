"""One slice of a file is read by whatever reads its kind of source."""

from collections.abc import Iterator
from pathlib import Path

from l3_modeltools.data.prepare.parts import Slice
from l3_modeltools.data.prepare.read.content import Content, Format, Unreadable
from l3_modeltools.data.prepare.read.lines import read_lines
from l3_modeltools.data.prepare.read.megatron import read_blocks
from l3_modeltools.data.prepare.read.parquet import read_row_groups
from l3_modeltools.data.prepare.read.text import read_text
from l3_modeltools.schemas import JsonLines, MegatronFiles, Parquet, Source

__all__ = ["read_slice"]


def read_slice(source: Source, piece: Slice, format: Format) -> Iterator[Content | Unreadable]:
    """Yield the documents of a slice, in order; what cannot be decoded is yielded as such.

    Raises DocumentError for what is no JSON or lacks the field, naming the line, and OSError.
    """
    path = Path(piece.file.name)
    if isinstance(source, JsonLines):
        return read_lines(path, piece.start, piece.stop, field=source.field, format=format)
    if isinstance(source, Parquet):
        return read_row_groups(path, piece.start, piece.stop, field=source.field, format=format)
    if isinstance(source, MegatronFiles):
        return read_blocks(path, piece.start, piece.stop)
    return read_text(path, piece.start, piece.stop)
