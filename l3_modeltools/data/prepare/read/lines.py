"""JSON lines, also compressed: each line is a row, one field of it the document."""

import gzip
import json
import zlib
from collections.abc import Iterator
from difflib import get_close_matches
from functools import partial
from pathlib import Path
from typing import BinaryIO, NoReturn, cast

import msgspec

from l0_infra.core.errors import DocumentError, Fault
from l3_modeltools.data.prepare.read.content import (
    Content,
    Format,
    Record,
    Unreadable,
    checked,
    content_type,
)
from l3_modeltools.data.prepare.read.window import PIECE_BYTES

__all__ = ["DEFAULT_FIELDS", "read_lines"]

DEFAULT_FIELDS = {"text": "text", "chat": "messages", "preference": None}
"""Where a document is in its row when the source does not say; a pair is the row itself."""

BYTE_ORDER_MARK = b"\xef\xbb\xbf"
NAMES_TOLD = 8


class LineReader:
    """Decodes lines of one file; fast where a line is as it should be, thorough where not."""

    def __init__(self, path: Path, field: str | None, format: Format) -> None:
        self.path = path
        self.field = field or DEFAULT_FIELDS[format]
        self.format = format
        self.row_type = _row_type(self.field, content_type(format))
        self.decoder = msgspec.json.Decoder(self.row_type)

    def read(self, line: bytes, position: int) -> Content | Unreadable:
        """Return the document of a line that begins at byte `position` of the text. Raises DocumentError."""
        try:
            return self._content(self.decoder.decode(line), position)
        except (msgspec.DecodeError, RecursionError):
            return self._salvage(line, position)

    def _salvage(self, line: bytes, position: int) -> Content | Unreadable:
        """Read what is no strict JSON but what Python's `json` writes: NaN, halves of surrogate pairs.

        Says of anything else what is wrong with it.
        """
        try:
            data = json.loads(line.decode())
            json.dumps(data, ensure_ascii=False).encode()
        except UnicodeError:
            return Unreadable(f"{self._place(position)}: not UTF-8")
        except (ValueError, RecursionError) as error:
            self._refuse(position, f"no JSON: {error}", "one JSON object a line")
        try:
            return self._content(msgspec.convert(data, self.row_type), position)
        except msgspec.ValidationError as fault:
            self._refuse_row(data, position, fault)

    def _content(self, row: object, position: int) -> Content:
        value = row if self.field is None else row.value  # type: ignore[attr-defined]  # a field's struct
        if self.format == "text":
            return "" if value is None else cast(str, value)
        return Record(checked(value, self.format), partial(self._place, position))

    def _refuse_row(self, data: object, position: int, error: msgspec.ValidationError) -> NoReturn:
        if not isinstance(data, dict):
            self._refuse(position, "a row that is no object", "an object with fields")
        if self.field is not None and self.field not in data:
            similar = get_close_matches(self.field, data, n=1)
            hint = f"did you mean `field: {similar[0]}`?" if similar else ""
            names = ", ".join(f"`{name}`" for name in list(data)[:NAMES_TOLD])
            found = f"the fields {names}" if names else "no field"
            self._refuse(position, found, f"a field `{self.field}`", hint)
        place = f"`{self.field}`" if self.field else "the row"
        self._refuse(position, f"in {place}: {error}", f"what the format `{self.format}` needs")

    def _refuse(self, position: int, found: str, expected: str, hint: str = "") -> NoReturn:
        fault = Fault(path=(), found=found, expected=expected, hint=hint, where=self._place(position))
        raise DocumentError(str(self.path), [fault])

    def _place(self, position: int) -> str:
        """Count lines only now that one is to be named."""
        line = 1
        with open_lines(self.path) as file:
            while position > 0 and (block := file.read(min(position, PIECE_BYTES))):
                line += block.count(b"\n")
                position -= len(block)
        return f"{self.path}:{line}"


def read_lines(
    path: Path, start: int, stop: int, *, field: str | None, format: Format
) -> Iterator[Content | Unreadable]:
    """Yield the documents of the lines that begin in the windows `start` to `stop`; a compressed file has one.

    Raises DocumentError for a line that is no row, and for a compressed file that is damaged or cut off.
    """
    reader = LineReader(path, field, format)
    try:
        for line, position in _lines(path, start, stop):
            if not line.isspace():
                yield reader.read(line, position)
    except (EOFError, gzip.BadGzipFile, zlib.error) as error:
        fault = Fault(path=(), found=f"{error}", expected="a whole file of gzip", where=str(path))
        raise DocumentError(str(path), [fault]) from error


def open_lines(path: Path) -> BinaryIO:
    """Open a file of lines, compressed or not, as what it holds."""
    return cast(BinaryIO, gzip.open(path)) if path.suffix == ".gz" else path.open("rb", buffering=PIECE_BYTES)


def _lines(path: Path, start: int, stop: int) -> Iterator[tuple[bytes, int]]:
    end = None if path.suffix == ".gz" else stop * PIECE_BYTES
    with open_lines(path) as file:
        position = max(0, start * PIECE_BYTES - 1)
        file.seek(position)
        if position:
            position += len(file.readline())
        for line in file:
            if end is not None and position >= end:
                return
            yield line.removeprefix(BYTE_ORDER_MARK) if position == 0 else line, position
            position += len(line)


def _row_type(field: str | None, content: object) -> object:
    if field is None:
        return dict[str, object]
    return msgspec.defstruct("Row", [("value", content, msgspec.field(name=field))])
