"""Parquet: a row is a document, read a few at a time, row group after row group."""

from collections.abc import Iterator
from difflib import get_close_matches
from pathlib import Path
from typing import TYPE_CHECKING, cast

import msgspec

from l0_infra.core.errors import DocumentError, Fault
from l3_modeltools.data.prepare.read.content import Content, Format, Pair, Unreadable, content_type
from l3_modeltools.data.prepare.read.lines import DEFAULT_FIELDS

if TYPE_CHECKING:
    from pyarrow import Array
    from pyarrow.parquet import ParquetFile

__all__ = ["read_row_groups", "row_group_sizes"]

ROWS_AT_ONCE = 256
BUFFER_BYTES = 2**20
PAIR_COLUMNS = ("chosen", "rejected")


def row_group_sizes(path: Path, field: str | None, format: Format) -> tuple[int, ...]:
    """Return the bytes of each row group. Raises DocumentError for no Parquet, and for columns that lack."""
    with open_parquet(path) as file:
        names = file.schema_arrow.names
        needed = [field or DEFAULT_FIELDS[format]] if field or format != "preference" else PAIR_COLUMNS
        for name in needed:
            if name not in names:
                raise _no_column(path, str(name), names)
        metadata = file.metadata
        return tuple(metadata.row_group(index).total_byte_size for index in range(metadata.num_row_groups))


def read_row_groups(
    path: Path, start: int, stop: int, *, field: str | None, format: Format
) -> Iterator[Content | Unreadable]:
    """Yield the documents of the row groups `start` to `stop`. Raises DocumentError for a row that is none."""
    column, wanted = field or DEFAULT_FIELDS[format], content_type(format)
    with open_parquet(path) as file:
        metadata = file.metadata
        row = sum(metadata.row_group(index).num_rows for index in range(start))
        names = [column] if column else [name for name in file.schema_arrow.names if name in _pair_fields()]
        groups = list(range(start, stop))
        for batch in file.iter_batches(batch_size=ROWS_AT_ONCE, row_groups=groups, columns=names):
            values = batch.column(0) if column else batch.to_struct_array()
            for value in _values(values, f"{path}: row", row):
                row += 1
                yield value if isinstance(value, Unreadable) else _document(value, wanted, path, row)


def open_parquet(path: Path) -> "ParquetFile":
    """Open a file so that little of it is held at once. Raises DocumentError for a file that is no Parquet."""
    from pyarrow import ArrowInvalid
    from pyarrow.parquet import ParquetFile

    try:
        return ParquetFile(path, pre_buffer=False, buffer_size=BUFFER_BYTES)
    except ArrowInvalid as error:
        found = " ".join(str(error).split())
        raise DocumentError(
            str(path), [Fault(path=(), found=found, expected="Parquet", where=str(path))]
        ) from error


def _values(values: "Array", place: str, first: int) -> Iterator[object]:
    try:
        yield from values.to_pylist()
    except UnicodeDecodeError:
        for index, value in enumerate(values):
            try:
                yield value.as_py()
            except UnicodeDecodeError:
                yield Unreadable(f"{place} {first + index + 1}: not UTF-8")


def _document(value: object, wanted: object, path: Path, row: int) -> Content:
    if isinstance(value, str):
        return value
    try:
        document = msgspec.convert(value, type=wanted)
    except msgspec.ValidationError as error:
        where = f"{path}: row {row}"
        fault = Fault(path=(), found=str(error), expected="what a document of this format is", where=where)
        raise DocumentError(str(path), [fault]) from error
    return "" if document is None else cast(Content, document)


def _pair_fields() -> tuple[str, ...]:
    return Pair.__struct_fields__


def _no_column(path: Path, name: str, names: list[str]) -> DocumentError:
    similar = get_close_matches(name, names, n=1)
    fault = Fault(
        path=(),
        found=f"the columns {', '.join(f'`{other}`' for other in names[:8])}",
        expected=f"a column `{name}`",
        hint=f"did you mean `field: {similar[0]}`?" if similar else "",
        where=str(path),
    )
    return DocumentError(str(path), [fault])
