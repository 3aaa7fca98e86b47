"""A screen that is painted again and again: only lines that changed go over the wire."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from rich.console import Console
    from rich.text import Text

__all__ = ["Screen", "screen_of"]

HOME_AND_CLEAR = "\x1b[H\x1b[2J"
CLEAR_LINE = "\x1b[2K"
"""Before a line is written: behind one that fills the width, its last character would go."""


class Screen:
    """Paints lines on the whole of a terminal."""

    def __init__(self, terminal: Console) -> None:
        self.terminal = terminal
        self.shown: list[str] = []
        self.size = (0, 0)

    def paint(self, lines: Sequence[Text]) -> None:
        """Show these lines, no more than the terminal has and none wider, in the place of those shown before."""
        written = [self.written(line) for line in lines]
        size = (self.terminal.width, self.terminal.height)
        changes = list(self.changes(written)) if size == self.size else [HOME_AND_CLEAR, *self.all(written)]
        self.shown, self.size = written, size
        if changes:
            self.terminal.file.write("".join(changes))
            self.terminal.file.flush()

    def written(self, line: Text) -> str:
        """Return a line with what gives it its colours on this terminal."""
        with self.terminal.capture() as captured:
            self.terminal.print(line, end="", soft_wrap=True)
        return captured.get()

    def all(self, written: Sequence[str]) -> Iterator[str]:
        for number, line in enumerate(written):
            yield f"{at(number)}{line}"

    def changes(self, written: Sequence[str]) -> Iterator[str]:
        """Yield what makes the lines shown into these."""
        for number in range(max(len(written), len(self.shown))):
            now = written[number] if number < len(written) else ""
            before = self.shown[number] if number < len(self.shown) else ""
            if now != before:
                yield f"{at(number)}{CLEAR_LINE}{now}"


@contextmanager
def screen_of(terminal: Console) -> Iterator[Screen]:
    """Give the whole terminal to pictures; what stood there before comes back at the end."""
    terminal.set_alt_screen(True)
    terminal.show_cursor(False)
    try:
        yield Screen(terminal)
    finally:
        terminal.set_alt_screen(False)
        terminal.show_cursor(True)


def at(number: int) -> str:
    """Lead to the beginning of a line, counted from 0."""
    return f"\x1b[{number + 1};1H"
