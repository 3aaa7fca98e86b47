"""What a file can be cut into without reading it: windows of bytes, row groups, blocks of documents."""

from pathlib import Path

from l3_modeltools.data.prepare.read.content import Format
from l3_modeltools.data.prepare.read.megatron import block_sizes
from l3_modeltools.data.prepare.read.parquet import row_group_sizes
from l3_modeltools.data.prepare.read.window import PIECE_BYTES
from l3_modeltools.schemas import JsonLines, MegatronFiles, Parquet, Source

__all__ = ["pieces_of"]


def pieces_of(source: Source, path: Path, size_bytes: int, format: Format) -> tuple[int, ...]:
    """Return the bytes of each piece, in order; a compressed file is one. Raises DocumentError, OSError."""
    if isinstance(source, Parquet):
        return row_group_sizes(path, source.field, format)
    if isinstance(source, MegatronFiles):
        return block_sizes(path)
    if isinstance(source, JsonLines) and path.suffix == ".gz":
        return (size_bytes,)
    whole, rest = divmod(size_bytes, PIECE_BYTES)
    return (PIECE_BYTES,) * whole + ((rest,) if rest or not whole else ())
