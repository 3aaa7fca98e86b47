"""Keys as they are pressed, for views that are watched."""

import contextlib
import select
import sys
import termios
import tty
from collections.abc import Iterator

__all__ = ["LEAVING", "pressed", "single_keys"]

LEAVING = ("q", "Q", "\x04")
"""Keys that leave a view; the last is Ctrl-D."""


@contextlib.contextmanager
def single_keys() -> Iterator[None]:
    """Have keys arrive at once and unseen; without a keyboard nothing changes."""
    if not sys.stdin.isatty():
        yield
        return
    descriptor = sys.stdin.fileno()
    before = termios.tcgetattr(descriptor)
    try:
        tty.setcbreak(descriptor)
        yield
    finally:
        termios.tcsetattr(descriptor, termios.TCSADRAIN, before)


def pressed(timeout_s: float) -> str:
    """Wait for a key; return it, or nothing when the time is over."""
    ready, _, _ = select.select([sys.stdin] if sys.stdin.isatty() else [], [], [], timeout_s)
    return sys.stdin.read(1) if ready else ""
