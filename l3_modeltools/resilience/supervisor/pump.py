"""Passes on what ranks print, and remembers their last lines."""

import os
from collections import deque
from collections.abc import Callable, Sequence
from itertools import takewhile

__all__ = ["Pump"]

REMEMBERED = 200
"""Lines of each rank."""

AT_ONCE = 16
"""Reads of one pipe before others get their turn: a rank that prints without end must not keep the watch from them."""

LONGEST = 4096
"""Bytes of a line that are remembered."""


class Pump:
    """Reads the pipes of all ranks; `write` gets every byte, whole lines of one rank at a time where it can be."""

    def __init__(self, pipes: Sequence[int], write: Callable[[bytes], None]) -> None:
        self._pipes = tuple(pipes)
        self._write = write
        self._open = [b"" for _ in pipes]
        self._lines = tuple(deque[str](maxlen=REMEMBERED) for _ in pipes)

    def read(self, rank: int) -> None:
        """Pass on what a rank has printed since, so far as it is not too much at once."""
        for chunk in takewhile(bool, (self._chunk(rank) for _ in range(AT_ONCE))):
            *lines, self._open[rank] = (self._open[rank] + chunk).split(b"\n")
            for line in lines:
                self._lines[rank].append(line[:LONGEST].decode(errors="replace"))
            if lines:
                self._write(b"".join(line + b"\n" for line in lines))
            if len(self._open[rank]) > LONGEST:
                self.flush(rank)

    def flush(self, rank: int) -> None:
        """Pass on a line that will not go on."""
        line, self._open[rank] = self._open[rank], b""
        if line:
            self._lines[rank].append(line[:LONGEST].decode(errors="replace"))
            self._write(line + b"\n")

    def last_lines(self, rank: int) -> tuple[str, ...]:
        """Return the last lines of a rank, oldest first."""
        return tuple(self._lines[rank])

    def forget(self) -> None:
        """Begin anew, as ranks do."""
        for rank, lines in enumerate(self._lines):
            self.flush(rank)
            lines.clear()

    def _chunk(self, rank: int) -> bytes:
        try:
            return os.read(self._pipes[rank], 65_536)
        except BlockingIOError:
            return b""
