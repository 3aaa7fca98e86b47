"""Plain text: a file is a document, unless it is so long that its pieces are."""

from collections.abc import Iterator
from pathlib import Path
from typing import BinaryIO

from l3_modeltools.data.prepare.read.content import Unreadable
from l3_modeltools.data.prepare.read.window import PIECE_BYTES

__all__ = ["read_text"]

LOOK_AHEAD_BYTES = 2**16
"""How far after its window a piece may end, looking for the end of a line."""

UTF8_CONTINUES = 0b10
"""First two bits of a byte that is not the first of its character."""


def read_text(path: Path, start: int, stop: int) -> Iterator[str | Unreadable]:
    """Yield the pieces `start` to `stop` of a file, each to the end of a line where one is near."""
    with path.open("rb") as file:
        begin = _cut(file, start * PIECE_BYTES)
        for number in range(start, stop):
            end = _cut(file, (number + 1) * PIECE_BYTES)
            file.seek(begin)
            yield _decoded(file.read(max(0, end - begin)), path, begin)
            begin = end


def _cut(file: BinaryIO, position: int) -> int:
    """Return where the piece ends that nominally ends at `position`: after a line, else before a character."""
    if position == 0:
        return 0
    file.seek(position - 1)
    ahead = file.read(LOOK_AHEAD_BYTES)
    line_end = ahead.find(b"\n")
    if line_end >= 0:
        return position + line_end
    if len(ahead) < LOOK_AHEAD_BYTES:
        return position - 1 + len(ahead)
    first = next((index for index in range(1, 5) if ahead[index] >> 6 != UTF8_CONTINUES), 1)
    return position - 1 + first


def _decoded(content: bytes, path: Path, begin: int) -> str | Unreadable:
    try:
        return content.decode("utf-8" if begin else "utf-8-sig")
    except UnicodeDecodeError as error:
        return Unreadable(f"{path}: byte {begin + error.start} is not UTF-8")
