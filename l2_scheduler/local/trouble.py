"""Where the agent's troubles go: one line each into its log; what failed is tried again."""

import contextlib
import os
import time

__all__ = ["tell_trouble"]


def tell_trouble(error: Exception) -> None:
    """Write a line into the agent's log; a disk too full for that line must not end the agent."""
    with contextlib.suppress(OSError):
        os.write(2, f"{time.strftime('%F %T')} {error}\n".encode(errors="backslashreplace"))
