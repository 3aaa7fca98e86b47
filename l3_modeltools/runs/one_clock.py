"""The times of a run as one clock would have told them, where the clock of its node was set while it ran.

The supervisor marks by how much. What was told before is moved by that much, so that everything is in the time of the
clock as it is now: no time seems to have passed that did not, and none is missing. What was told before the supervisor
noticed, or by a clock it read a moment earlier, is known by the clock that cannot be set, which is told with it.
"""

from bisect import bisect_right
from collections.abc import Iterable, Iterator, Sequence
from itertools import accumulate, repeat
from math import inf
from typing import TypeAlias

from msgspec.structs import replace

from l3_modeltools.runs.epochs import SLACK_S, Beginnings, is_jump, list_epochs
from l3_modeltools.runs.journal import Mark
from l3_modeltools.runs.metric import Metric
from l3_modeltools.schemas import TrainingFault

__all__ = ["OneClock"]

Stamp: TypeAlias = tuple[float, float | None]
"""What the clock told, and with it the one that cannot be set, if that was told."""


class OneClock:
    """Moves times of the run with these marks, submitted at `submitted_at` as the clock was then.

    Where its clock was never set everything stays as it is.
    """

    def __init__(self, marks: Sequence[Mark], submitted_at: float) -> None:
        self._jumps = [mark for mark in marks if is_jump(mark)]
        self._epochs = tuple(list_epochs(self._jumps, submitted_at))
        self._beginnings = Beginnings(self._jumps, self._epochs)
        self.submitted_at = self._in(0, submitted_at)
        self.marks = self._moved_marks(marks) if self._jumps else tuple(marks)
        """The marks as one clock would have told them, which was never set."""
        self._gaps = tuple(_list_gaps(self.marks, self.submitted_at)) if self._jumps else ()

    @property
    def times_set(self) -> int:
        """How often the clock was set."""
        return len(self._jumps)

    def _moved_marks(self, marks: Sequence[Mark]) -> tuple[Mark, ...]:
        floors = accumulate(map(is_jump, marks))
        moved = self._moved([(mark.at, mark.monotonic_s) for mark in marks], floors)
        told = (replace(mark, at=at) for mark, at in zip(marks, moved, strict=True))
        return tuple(mark for mark in told if mark.mark != "clock_set")

    def metrics(self, lines: Sequence[Metric]) -> tuple[Metric, ...]:
        """Move metrics, which are in the order in which they were written."""
        if not self._jumps:
            return tuple(lines)
        told = [(line.at, line.monotonic_s) for line in lines if line.at is not None]
        moved = iter(self._moved(told, repeat(0)))
        return tuple(line if line.at is None else replace(line, at=next(moved)) for line in lines)

    def faults(self, faults: Sequence[TrainingFault]) -> tuple[TrainingFault, ...]:
        """Move faults, which are in the order of their numbers."""
        if not self._jumps:
            return tuple(faults)
        told = [jump.fault_id or 0 for jump in self._jumps]
        floors = (bisect_right(told, fault.fault_id) for fault in faults)
        moved = self._moved([(fault.detected_at, None) for fault in faults], floors)
        return tuple(
            _moved_fault(fault, at - fault.detected_at) for fault, at in zip(faults, moved, strict=True)
        )

    def outside(self, times: Sequence[float]) -> tuple[float, ...]:
        """Move times at which no supervisor was at work, of starts and submissions for example; return them sorted."""
        return tuple(sorted(map(self._placed, times)))

    def _moved(self, told: Sequence[Stamp], floors: Iterable[int]) -> list[float]:
        """Move times in the order in which they were told; those that are not certain into epochs of that order too.

        `floors` are the epochs before which those were not told.
        """
        moved: list[float] = []
        epoch, before = 0, -inf
        for (at, monotonic_s), floor in zip(told, floors, strict=False):
            certain = self._beginnings.moved(at, monotonic_s)
            if certain is None:
                epoch = self._likeliest(at, max(epoch, floor), before)
                certain = self._in(epoch, at)
            moved.append(certain)
            before = max(before, certain - SLACK_S)
        return moved

    def _likeliest(self, at: float, first: int, before: float) -> int:
        """Return the first epoch from `first` on that a time misses least, of those in which it does not go back."""
        onward = [number for number in range(first, len(self._epochs)) if self._in(number, at) >= before] or [
            first
        ]
        return min(onward, key=lambda number: self._epochs[number].misses(at))

    def _placed(self, at: float) -> float:
        found = [at + epoch.shift for epoch in self._epochs if not epoch.misses(at)]
        in_gaps = (moved for moved in found if any(begin <= moved <= end for begin, end in self._gaps))
        return next(in_gaps, found[0] if found else at)

    def _in(self, epoch: int, at: float) -> float:
        return at + self._epochs[epoch].shift


def _list_gaps(marks: Sequence[Mark], submitted_at: float) -> Iterator[tuple[float, float]]:
    """Yield when no supervisor was at work."""
    before = submitted_at
    for mark in marks:
        if mark.mark == "supervised":
            yield before - SLACK_S, mark.at + SLACK_S
        before = mark.at
    yield before - SLACK_S, inf


def _moved_fault(fault: TrainingFault, by: float) -> TrainingFault:
    if not by:
        return fault
    return replace(
        fault,
        detected_at=fault.detected_at + by,
        occurred_at=None if fault.occurred_at is None else fault.occurred_at + by,
        located_at=None if fault.located_at is None else fault.located_at + by,
        resumed_at=None if fault.resumed_at is None else fault.resumed_at + by,
    )
