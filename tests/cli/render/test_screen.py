"""What goes to the terminal is what changed, and the terminal then shows the picture."""

import io
import re

from hypothesis import given
from hypothesis import strategies as st
from rich.console import Console
from rich.text import Text

from ogai.render.screen import Screen, screen_of

WIDTH, HEIGHT = 12, 5
LINES = st.lists(st.text("ab ", max_size=WIDTH), max_size=HEIGHT)


class Terminal:
    """As much of a terminal as the screen uses."""

    def __init__(self) -> None:
        self.file = io.StringIO()
        self.console = Console(
            file=self.file, force_terminal=True, width=WIDTH, height=HEIGHT, color_system=None
        )
        self.rows = [""] * HEIGHT

    def take(self) -> str:
        """Do what was written, and return it."""
        written = self.file.getvalue()
        self.file.seek(0)
        self.file.truncate()
        row = 0
        for order, text in re.findall(r"(\x1b\[[0-9;?]*[A-Za-z])|([^\x1b]+)", written):
            if order == "\x1b[2J":
                self.rows = [""] * HEIGHT
            elif order == "\x1b[2K":
                self.rows[row] = ""
            elif found := re.fullmatch(r"\x1b\[(\d+);1H", order):
                row = int(found[1]) - 1
            elif text:
                self.rows[row] = text
        return written


@given(st.lists(LINES, min_size=1, max_size=6))
def test_the_terminal_shows_the_last_picture(pictures: list[list[str]]) -> None:
    terminal = Terminal()
    screen = Screen(terminal.console)
    for picture in pictures:
        screen.paint([Text(line) for line in picture])
        terminal.take()
        assert terminal.rows == picture + [""] * (HEIGHT - len(picture))


def test_only_lines_that_changed_go_over_the_wire() -> None:
    terminal = Terminal()
    screen = Screen(terminal.console)
    screen.paint([Text("aaa"), Text("bbb"), Text("ccc")])
    terminal.take()
    screen.paint([Text("aaa"), Text("bab"), Text("ccc")])
    assert terminal.take() == "\x1b[2;1H\x1b[2Kbab"
    screen.paint([Text("aaa"), Text("bab"), Text("ccc")])
    assert terminal.take() == ""


def test_another_size_paints_everything_anew() -> None:
    terminal = Terminal()
    screen = Screen(terminal.console)
    screen.paint([Text("aaa")])
    terminal.take()
    terminal.console.width = WIDTH - 1
    screen.paint([Text("aaa")])
    assert terminal.take().startswith("\x1b[H\x1b[2J")


def test_the_terminal_is_given_back_whatever_happens() -> None:
    terminal = Terminal()
    try:
        with screen_of(terminal.console) as screen:
            screen.paint([Text("a")])
            raise KeyboardInterrupt
    except KeyboardInterrupt:
        written = terminal.take()
    assert written.index("\x1b[?1049h") < written.index("\x1b[?1049l")
    assert written.endswith("\x1b[?25h")
