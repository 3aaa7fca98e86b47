"""A curve of any length as so many columns: the extremes of each and its mean, and means that are smooth."""

from bisect import bisect_left
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import accumulate, pairwise

__all__ = ["NO_POINTS", "Bin", "Points", "binned", "smoothed"]


@dataclass(frozen=True, kw_only=True, slots=True)
class Points:
    """Values by step, ascending."""

    steps: Sequence[int]
    values: Sequence[float]


NO_POINTS = Points(steps=(), values=())


@dataclass(frozen=True, kw_only=True, slots=True)
class Bin:
    """The values that fall into one column of dots."""

    x: int
    low: float
    high: float
    mean: float


def binned(curve: Points, first: int, last: int, width: int) -> list[Bin]:
    """Put the steps from `first` to `last` into as many columns; empty ones are left out."""
    steps, values, span = curve.steps, curve.values, last - first + 1
    ends = [bisect_left(steps, first - (-column * span // width)) for column in range(width + 1)]
    return [
        Bin(x=column, low=min(part), high=max(part), mean=sum(part) / len(part))
        for column, (begin, end) in enumerate(pairwise(ends))
        if (part := values[begin:end])
    ]


def smoothed(values: Sequence[float], reach: int) -> list[float]:
    """Return means over up to `reach` neighbours on either side, as many on both, so that the ends stay in place."""
    sums = [0.0, *accumulate(values)]
    last = len(values) - 1
    reaches = [min(reach, place, last - place) for place in range(len(values))]
    return [(sums[place + far + 1] - sums[place - far]) / (2 * far + 1) for place, far in enumerate(reaches)]
