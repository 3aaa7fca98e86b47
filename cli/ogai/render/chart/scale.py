"""Axes: limits that show what matters, ticks at good numbers, and how those are written."""

from collections.abc import Sequence
from math import ceil, floor, log10

__all__ = ["TINY", "Limits", "choose_limits", "choose_log_ticks", "choose_step", "choose_ticks", "write_tick"]

Limits = tuple[float, float]
GOOD = (1.0, 2.0, 2.5, 5.0, 10.0)
MARGIN = 1e-9
TINY = 1e-100
"""Nothing smaller is told from zero."""
FEW = 50
"""One column in so many may lie outside."""


def choose_limits(lows: Sequence[float], highs: Sequence[float], smooth: Sequence[float]) -> Limits:
    """Return the lowest and the highest value to show, of the extremes of each column and the smoothed values.

    What lies far outside of where nearly all values are is cut off, so that one spike hides nothing; a curve that
    never moves gets room around it. None of the three is empty.
    """
    few = len(lows) // FEW
    low = min(*sorted(lows)[few : few + 1], *smooth)
    high = max(*sorted(highs)[len(highs) - 1 - few :][:1], *smooth)
    span = high - low
    low = min(low, min(lows)) if min(lows) >= low - span / 2 else low
    high = max(high, max(highs)) if max(highs) <= high + span / 2 else high
    if high - low <= max(MARGIN * max(abs(low), abs(high)), TINY):
        room = abs(high) * 0.1 if abs(high) > TINY else 1.0
        low, high = low - room, high + room
    return low, high


def choose_step(low: float, high: float, most: int) -> float:
    """Return the smallest of 1, 2, 2.5, 5, 10, … that divides the span into at most so many parts."""
    rough = (high - low) / max(1, most)
    power = 10.0 ** floor(log10(rough))
    return next(good * power for good in GOOD if good * power >= rough * (1 - MARGIN))


def choose_ticks(low: float, high: float, most: int) -> tuple[float, ...]:
    """Return multiples of a good number within the limits, about `most` at the most."""
    step = choose_step(low, high, most)
    first, last = ceil(low / step - MARGIN), floor(high / step + MARGIN)
    return tuple(number * step for number in range(first, last + 1))


def choose_log_ticks(low: float, high: float, most: int) -> tuple[float, ...]:
    """Return good numbers between two powers of ten, given by their exponents.

    1, 2 and 5 of each decade, or whole decades where that would be too many; within half a decade as on any axis.
    """
    powers = range(floor(low), ceil(high) + 1)
    for parts in (1, 2, 5), (1,):
        ticks = [part * 10.0**power for power in powers for part in parts]
        within = [tick for tick in ticks if low <= log10(tick) <= high]
        if len(within) <= max(2, most):
            break
    if len(within) < 2:
        return choose_ticks(10**low, 10**high, most)
    return tuple(within[:: ceil(len(within) / max(2, most))])


def write_tick(value: float, step: float) -> str:
    """Write a number of an axis whose ticks are `step` apart in few characters: `0.25`, `8`, `20K`, `3e-5`."""
    if value and abs(value) < 1e-3:
        mantissa, _, power = f"{value:.1e}".partition("e")
        return f"{mantissa.removesuffix('.0')}e{int(power)}"
    for size, letter in ((1e12, "T"), (1e9, "B"), (1e6, "M"), (1e4, "K")):
        if abs(value) >= size:
            unit = 1e3 if letter == "K" else size
            return f"{value / unit:.{decimals(step / unit)}f}{letter}"
    return f"{value:.{decimals(step)}f}"


def decimals(step: float) -> int:
    """Return the places behind the point that a number needs, six at most."""
    return next((places for places in range(6) if abs(round(step, places) - step) <= MARGIN * step), 6)
