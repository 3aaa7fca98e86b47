"""Keys as they are pressed, for views that are watched."""

import contextlib
import os
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
    """Wait for a key; return it, or nothing when the time is over.

    Keys typed ahead stay where the next call looks for them, not in a buffer of Python's.
    """
    ready, _, _ = select.select([sys.stdin] if sys.stdin.isatty() else [], [], [], timeout_s)
    return os.read(sys.stdin.fileno(), 1).decode(errors="ignore") if ready else ""
