"""Fewer points for the same picture: of each column of pixels the first, lowest, highest and last value stay."""

import math
from bisect import bisect_left, insort
from collections.abc import Sequence

__all__ = ["smooth", "thin"]


def thin(xs: Sequence[float], ys: Sequence[float], columns: int) -> list[int]:
    """Return, in order, the indices of the points that a chart of so many columns needs; `xs` ascend.

    Nothing that would be seen is lost: within each column the first, the last, the lowest and the highest value are
    kept, and the first that is no number, which is drawn as a gap. Few points are kept whole.
    """
    if len(xs) <= columns:
        return list(range(len(xs)))
    width = (xs[-1] - xs[0]) / columns
    edges = {bisect_left(xs, xs[0] + width * column) for column in range(1, columns)}
    starts = sorted(edges - {0, len(xs)})
    columned = zip([0, *starts], [*starts, len(xs)], strict=True)
    return [index for start, end in columned for index in _kept(range(start, end), ys[start:end])]


def _kept(indices: range, ys: Sequence[float]) -> list[int]:
    numbers = list(filter(math.isfinite, ys))
    kept = {0, len(ys) - 1}
    if len(numbers) < len(ys):
        kept.add(next(place for place, value in enumerate(ys) if not math.isfinite(value)))
    if numbers:
        kept |= {ys.index(min(numbers)), ys.index(max(numbers))}
    return sorted(indices[place] for place in kept)


def smooth(ys: Sequence[float], window: int) -> list[float]:
    """Return at each place the median of the finite values at most `window // 2` places away; NaN where none is."""
    half = window // 2
    near = sorted(value for value in ys[:half] if math.isfinite(value))
    medians = []
    for place in range(len(ys)):
        if place + half < len(ys) and math.isfinite(ys[place + half]):
            insort(near, ys[place + half])
        if place > half and math.isfinite(ys[place - half - 1]):
            near.pop(bisect_left(near, ys[place - half - 1]))
        medians.append((near[(len(near) - 1) // 2] + near[len(near) // 2]) / 2 if near else math.nan)
    return medians
