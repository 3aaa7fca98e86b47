"""Reads a task's output back: whole over its rotated files, from any offset, time-stamped, also while it grows."""

import os
import struct
import time
from bisect import bisect_right
from collections.abc import Iterable, Iterator
from contextlib import ExitStack, suppress
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import BinaryIO

from l2_scheduler.local.shim.logs import PAIR

__all__ = ["Piece", "read_log", "stamp"]

_BLOCK_BYTES = 1 << 20
_TRIES = 50
_RETRY_S = 0.002


@dataclass(frozen=True, kw_only=True, slots=True)
class Piece:
    """Consecutive output: offset in the task's whole stream, bytes, and when the first of them was read."""

    offset: int
    data: bytes
    at: float | None

    @property
    def end(self) -> int:
        """The offset behind it, from which reading goes on."""
        return self.offset + len(self.data)


def read_log(
    attempt_dir: Path, rank: int, *, from_offset: int = 0, timestamps: bool = False
) -> Iterator[Piece]:
    """Yield what task `rank` has written so far, from `from_offset` on; nothing if it has not started.

    Output that rotation has dropped is skipped: the first piece says where the rest begins. With `timestamps`
    a piece is at most one line and has its time (seconds since the epoch, to 10 ms), else a large block.
    """
    with ExitStack() as stack:
        segments = _open_segments(attempt_dir, rank, stack)
        times = _read_times(attempt_dir, rank) if timestamps else None
        for start, file in segments:
            for offset, block in _blocks(file, start, from_offset):
                yield from _pieces(offset, block, times)


def stamp(pieces: Iterable[Piece]) -> Iterator[bytes]:
    """Put the time, UTC to the millisecond, before each line of pieces read with `timestamps`."""
    at_line_start = True
    for piece in pieces:
        if at_line_start and piece.at is not None:
            moment = datetime.fromtimestamp(piece.at, UTC).isoformat(timespec="milliseconds")
            yield moment.replace("+00:00", "Z ").encode()
        yield piece.data
        at_line_start = piece.data.endswith(b"\n")


class _Times:
    """The (offset, time) pairs of a task, in order of offset."""

    def __init__(self, pairs: bytes) -> None:
        self._pairs = pairs
        self._count = len(pairs) // PAIR.size

    def at(self, offset: int) -> float | None:
        """Return when the byte at `offset` was read; None for one older than every pair."""
        index = bisect_right(range(self._count), offset, key=lambda i: self._pair(i)[0])
        return self._pair(index - 1)[1] if index else None

    def _pair(self, index: int) -> tuple[int, float]:
        offset, at = PAIR.unpack_from(self._pairs, index * PAIR.size)
        return offset, at


def _pieces(offset: int, block: bytes, times: _Times | None) -> Iterator[Piece]:
    if times is None:
        yield Piece(offset=offset, data=block, at=None)
        return
    start = 0
    while start < len(block):
        end = block.find(b"\n", start) + 1 or len(block)
        yield Piece(offset=offset + start, data=block[start:end], at=times.at(offset + start))
        start = end


def _blocks(file: BinaryIO, start: int, from_offset: int) -> Iterator[tuple[int, bytes]]:
    offset = max(start, from_offset)
    file.seek(offset - start)
    while block := file.read(_BLOCK_BYTES):
        yield offset, block
        offset += len(block)


def _open_segments(attempt_dir: Path, rank: int, stack: ExitStack) -> list[tuple[int, BinaryIO]]:
    """Open all files of a task, oldest first, each with the offset at which it starts, as of one moment."""
    times = attempt_dir / f"task-{rank}.times"
    for _ in range(_TRIES):
        before = _first_offset(times)
        with ExitStack() as trial:
            files = _open_all(attempt_dir, rank, trial)
            if not files or (before is not None and _first_offset(times) == before):
                stack.push(trial.pop_all())
                return _place(files, before or 0)
        time.sleep(_RETRY_S)
    return _open_unfinished(attempt_dir, rank, stack)


def _open_unfinished(attempt_dir: Path, rank: int, stack: ExitStack) -> list[tuple[int, BinaryIO]]:
    """Open what a shim killed during a rotation left: the next file's first pair tells where all end."""
    files = _open_all(attempt_dir, rank, stack)
    end = _first_offset(attempt_dir / f"task-{rank}.times.new")
    newest = os.fstat(files[-1].fileno()).st_size if files else 0
    return _place(files, max(0, (end or 0) - newest))


def _open_all(attempt_dir: Path, rank: int, stack: ExitStack) -> list[BinaryIO]:
    files: list[BinaryIO] = []
    for path in _existing(attempt_dir, f"task-{rank}.log"):
        with suppress(FileNotFoundError):  # rotated away since it was listed
            files.append(stack.enter_context(path.open("rb")))
    return files


def _place(files: list[BinaryIO], newest_start: int) -> list[tuple[int, BinaryIO]]:
    placed = [(newest_start, file) for file in files[-1:]]
    for file in reversed(files[:-1]):
        placed.append((placed[-1][0] - os.fstat(file.fileno()).st_size, file))
    return placed[::-1]


def _existing(attempt_dir: Path, name: str) -> list[Path]:
    """Return a log or times file and its rotated ones, oldest first."""
    rotated = [path for path in attempt_dir.glob(f"{name}.*") if path.suffix[1:].isdigit()]
    rotated.sort(key=lambda path: -int(path.suffix[1:]))
    newest = attempt_dir / name
    return [*rotated, newest] if newest.exists() else rotated


def _first_offset(times: Path) -> int | None:
    try:
        with times.open("rb") as file:
            return int(PAIR.unpack(file.read(PAIR.size))[0])
    except (FileNotFoundError, struct.error):
        return None


def _read_times(attempt_dir: Path, rank: int) -> _Times:
    contents = [_read_pairs(path) for path in _existing(attempt_dir, f"task-{rank}.times")]
    contents.sort(key=lambda pairs: PAIR.unpack_from(pairs)[0] if pairs else 0)
    return _Times(b"".join(contents))


def _read_pairs(path: Path) -> bytes:
    try:
        content = path.read_bytes()
    except FileNotFoundError:  # rotated away since it was listed
        return b""
    return content[: len(content) // PAIR.size * PAIR.size]
