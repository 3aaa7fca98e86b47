"""The times between which the clock of a run's node was set: what a time that was told in one of them is now.

Where it was told together with the clock that cannot be set (`monotonic_s`) that is certain: the difference of the two
says by which setting of the clock it was told. Alone it can only be placed where it fits.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import accumulate
from math import inf

from l3_modeltools.runs.journal import Mark

__all__ = ["SLACK_S", "Beginnings", "Epoch", "is_jump", "list_epochs"]

SLACK_S = 0.5
"""So much may lines of several processes be out of order."""

LONGEST_S = 1e10
"""What is set by more is no clock; a damaged file may tell of anything."""

SAME_S = 1.0
"""Less than this is not told as a jump, and machines do not start anew so soon."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Epoch:
    """A time between two jumps: what is added to times told in it, and where it lies once they are added."""

    shift: float
    begin: float
    """At the earliest; the epoch before ends when the jump was noticed, at the latest."""
    end: float

    def misses(self, told: float) -> float:
        """Return by how many seconds a time lies outside of it once it is moved, 0 for one that can lie within."""
        moved = told + self.shift
        return max(0.0, self.begin - SLACK_S - moved, moved - self.end - SLACK_S)


@dataclass(frozen=True, kw_only=True, slots=True)
class _Beginning:
    """When the clock that cannot be set began, as the other clock told it, and as that would tell it now."""

    told: float
    moved: float


class Beginnings:
    """Moves times that were told together with the clock that cannot be set.

    However often the other one was set while a machine was up: what it told lies as far apart as it was.
    """

    def __init__(self, jumps: Sequence[Mark], epochs: Sequence[Epoch]) -> None:
        self._known = tuple(_list_beginnings(jumps, epochs))

    def moved(self, at: float, monotonic_s: float | None) -> float | None:
        """Return what a time is now; None where that is not certain, as for a machine whose clock was never set."""
        if monotonic_s is None or not self._known:
            return None
        told = at - monotonic_s
        nearest = min(self._known, key=lambda known: abs(known.told - told))
        return monotonic_s + nearest.moved if abs(nearest.told - told) <= SAME_S else None


def is_jump(mark: Mark) -> bool:
    """Say whether a mark tells that the clock was set, and by something that can be."""
    return mark.mark == "clock_set" and mark.seconds is not None and abs(mark.seconds) < LONGEST_S


def list_epochs(jumps: Sequence[Mark], submitted_at: float) -> Iterator[Epoch]:
    """Yield the times between these jumps, from when the run was submitted."""
    sizes = [mark.seconds or 0.0 for mark in jumps]
    later = [*reversed(list(accumulate(reversed(sizes)))), 0.0]
    begin = submitted_at + later[0]
    for mark, shift, after in zip(jumps, later, later[1:], strict=False):
        end = mark.at + after
        yield Epoch(shift=shift, begin=begin, end=end)
        begin = end - (mark.late_s or 0.0)
    yield Epoch(shift=0.0, begin=begin, end=inf)


def _list_beginnings(jumps: Sequence[Mark], epochs: Sequence[Epoch]) -> Iterator[_Beginning]:
    """Yield, from the last jump back, what held after each and before it."""
    later: _Beginning | None = None
    for mark, after in zip(reversed(jumps), reversed(epochs), strict=False):
        if mark.monotonic_s is None:
            continue
        told = mark.at - mark.monotonic_s
        is_same = later is not None and abs(later.told - told) <= SAME_S
        moved = later.moved if later is not None and is_same else told + after.shift
        yield _Beginning(told=told, moved=moved)
        later = _Beginning(told=told - (mark.seconds or 0.0), moved=moved)
        yield later
