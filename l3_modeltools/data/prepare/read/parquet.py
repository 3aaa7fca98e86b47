"""Parquet: a row is a document, read a few at a time, row group after row group."""

from collections.abc import Iterator
from difflib import get_close_matches
from pathlib import Path
from typing import TYPE_CHECKING

import msgspec

from l0_infra.core.errors import DocumentError, Fault
from l3_modeltools.data.prepare.read.content import Content, Format, Pair, Record, Unreadable, checked
from l3_modeltools.data.prepare.read.lines import DEFAULT_FIELDS

if TYPE_CHECKING:
    from pyarrow import Array
    from pyarrow.parquet import ParquetFile

__all__ = ["read_row_groups", "row_group_sizes"]

ROWS_AT_ONCE = 256
BUFFER_BYTES = 2**20
PAIR_COLUMNS = ("chosen", "rejected")
PAIR_FIELDS = Pair.__struct_fields__


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
    column = field or DEFAULT_FIELDS[format]
    with open_parquet(path) as file:
        metadata = file.metadata
        row = sum(metadata.row_group(index).num_rows for index in range(start))
        names = [column] if column else [name for name in file.schema_arrow.names if name in PAIR_FIELDS]
        groups = list(range(start, stop))
        for batch in file.iter_batches(batch_size=ROWS_AT_ONCE, row_groups=groups, columns=names):
            for value in _values(batch.column(0) if column else batch.to_struct_array()):
                row += 1
                yield _document(value, format, f"{path}: row {row}")


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


def _values(values: "Array") -> Iterator[object]:
    """Yield the rows as Python has them; bytes that are not UTF-8 as bytes, a date beyond Python's as its error."""
    try:
        yield from values.to_pylist()
    except (UnicodeDecodeError, OverflowError):
        for value in values:
            try:
                yield value.as_py()
            except UnicodeDecodeError:
                yield b""
            except OverflowError as error:
                yield error


def _document(value: object, format: Format, where: str) -> Content | Unreadable:
    if isinstance(value, bytes):
        return Unreadable(f"{where}: not UTF-8")
    if isinstance(value, OverflowError):
        return Unreadable(f"{where}: {value}")
    if format == "text":
        if value is None or isinstance(value, str):
            return value or ""
        raise _bad_row(where, f"{type(value).__name__}", "a text")
    try:
        return Record(checked(value, format), lambda: where)
    except msgspec.ValidationError as error:
        raise _bad_row(where, str(error), f"what the format `{format}` needs") from error


def _bad_row(where: str, found: str, expected: str) -> DocumentError:
    return DocumentError(where, [Fault(path=(), found=found, expected=expected, where=where)])


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
