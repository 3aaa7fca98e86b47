"""The smallest or largest whole number that works, where what works does so on one side of a border."""

from collections.abc import Callable

__all__ = ["largest", "smallest"]


def smallest(low: int, high: int, works: Callable[[int], bool]) -> int | None:
    """Smallest number in `low..high` that works, given that all above it do; None when `high` does not."""
    if low > high or not works(high):
        return None
    while low < high:
        middle = (low + high) // 2
        if works(middle):
            high = middle
        else:
            low = middle + 1
    return high


def largest(low: int, high: int, works: Callable[[int], bool]) -> int | None:
    """Largest number in `low..high` that works, given that all below it do; None when `low` does not."""
    found = smallest(-high, -low, lambda number: works(-number))
    return None if found is None else -found
