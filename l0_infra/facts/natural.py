"""The order people expect of numbered names: `mlx5_2` before `mlx5_10`."""

import re

__all__ = ["natural"]


def natural(name: str) -> tuple[tuple[str, int, str], ...]:
    """Return a key that sorts runs of digits by their value."""
    pieces = re.findall(r"([0-9]{1,18})|([^0-9]+)", name)
    return tuple((words, int(digits or 0), digits) for digits, words in pieces)
