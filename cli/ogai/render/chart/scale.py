"""Axes: limits that show what matters, ticks at good numbers, and how those are written."""

from collections.abc import Sequence
from math import ceil, floor, log10

__all__ = ["Limits", "choose_limits", "choose_step", "choose_ticks", "write_tick"]

Limits = tuple[float, float]
GOOD = (1.0, 2.0, 5.0, 10.0)
MARGIN = 1e-9


def choose_limits(values: Sequence[float], smooth: Sequence[float]) -> Limits:
    """Return the lowest and the highest value to show.

    What lies further from the smoothed values than their whole span is cut off, so that one spike hides nothing;
    a curve that never moves gets room around it. `values` and `smooth` hold at least one each.
    """
    low, high = min(smooth), max(smooth)
    span = high - low
    low, high = max(min(values), low - span), min(max(values), high + span)
    if high - low <= MARGIN * max(abs(low), abs(high)):
        room = abs(high) * 0.1 or 1.0
        low, high = low - room, high + room
    return low, high


def choose_step(low: float, high: float, most: int) -> float:
    """Return the smallest of 1, 2, 5, 10, … that divides the span into at most so many parts."""
    rough = (high - low) / max(1, most)
    power = 10.0 ** floor(log10(rough))
    return next(good * power for good in GOOD if good * power >= rough * (1 - MARGIN))


def choose_ticks(low: float, high: float, most: int) -> tuple[float, ...]:
    """Return multiples of a good number within the limits, about `most` at the most."""
    step = choose_step(low, high, most)
    first, last = ceil(low / step - MARGIN), floor(high / step + MARGIN)
    return tuple(number * step for number in range(first, last + 1))


def write_tick(value: float) -> str:
    """Write a number of an axis in few characters: `0.25`, `8`, `20K`, `3e-5`."""
    if value and abs(value) < 1e-3:
        mantissa, _, power = f"{value:.1e}".partition("e")
        return f"{mantissa.removesuffix('.0')}e{int(power)}"
    for size, letter in ((1e12, "T"), (1e9, "B"), (1e6, "M"), (1e4, "K")):
        if abs(value) >= size:
            return f"{value / (1e3 if letter == 'K' else size):.4g}{letter}"
    return f"{value:.4g}"
