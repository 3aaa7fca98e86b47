"""The times of a run as one clock would have told them, where the clock of its node was set while it ran.

The supervisor marks by how much. What was told before is moved by that much, so that everything is in the time of the
clock as it is now: no time seems to have passed that did not, and none is missing.
"""

from bisect import bisect_right
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import accumulate, repeat
from math import inf

from msgspec.structs import replace

from l3_modeltools.runs.journal import Mark
from l3_modeltools.runs.metric import Metric
from l3_modeltools.schemas import TrainingFault

__all__ = ["OneClock"]

SLACK_S = 0.5
"""So late may be told that the clock was set, and so much may lines of several processes be out of order."""

LONGEST_S = 1e10
"""What is set by more is no clock; a damaged file may tell of anything."""


@dataclass(frozen=True, kw_only=True, slots=True)
class _Epoch:
    """A time between two jumps: what is added to times told in it, and where it lies once they are added."""

    shift: float
    begin: float
    end: float


class OneClock:
    """Moves times of the run with these marks, submitted at `submitted_at` as the clock was then.

    Where its clock was never set everything stays as it is.
    """

    def __init__(self, marks: Sequence[Mark], submitted_at: float) -> None:
        self._jumps = [mark for mark in marks if _is_jump(mark)]
        self._epochs = tuple(_list_epochs(self._jumps, submitted_at))
        self.submitted_at = self._in(0, submitted_at)
        self.marks = self._moved_marks(marks) if self._jumps else tuple(marks)
        """The marks as one clock would have told them, which was never set."""
        self._gaps = tuple(_list_gaps(self.marks, self.submitted_at)) if self._jumps else ()

    @property
    def times_set(self) -> int:
        """How often the clock was set."""
        return len(self._jumps)

    def _moved_marks(self, marks: Sequence[Mark]) -> tuple[Mark, ...]:
        floors = accumulate(map(_is_jump, marks))
        moved = self._moved([mark.at for mark in marks], floors)
        told = (replace(mark, at=at) for mark, at in zip(marks, moved, strict=True))
        return tuple(mark for mark in told if mark.mark != "clock_set")

    def metrics(self, lines: Sequence[Metric]) -> tuple[Metric, ...]:
        """Move metrics, which are in the order in which they were written."""
        if not self._jumps:
            return tuple(lines)
        moved = iter(self._moved([line.at for line in lines if line.at is not None], repeat(0)))
        return tuple(line if line.at is None else replace(line, at=next(moved)) for line in lines)

    def faults(self, faults: Sequence[TrainingFault]) -> tuple[TrainingFault, ...]:
        """Move faults, which are in the order of their numbers."""
        if not self._jumps:
            return tuple(faults)
        told = [jump.fault_id or 0 for jump in self._jumps]
        floors = (bisect_right(told, fault.fault_id) for fault in faults)
        moved = self._moved([fault.detected_at for fault in faults], floors)
        return tuple(
            _moved_fault(fault, at - fault.detected_at) for fault, at in zip(faults, moved, strict=True)
        )

    def outside(self, times: Sequence[float]) -> tuple[float, ...]:
        """Move times at which no supervisor was at work, of starts and submissions for example; return them sorted."""
        return tuple(sorted(map(self._placed, times)))

    def _moved(self, times: Sequence[float], floors: Iterable[int]) -> list[float]:
        """Move times in the order in which they were told, each into the first epoch in which it does not go back.

        `floors` are the epochs before which they were not told.
        """
        moved: list[float] = []
        epoch, before = 0, -inf
        for at, floor in zip(times, floors, strict=False):
            epoch = max(epoch, floor)
            epoch = next(
                (found for found in self._fitting(at, epoch) if self._in(found, at) >= before), epoch
            )
            moved.append(self._in(epoch, at))
            before = max(before, moved[-1] - SLACK_S)
        return moved

    def _placed(self, at: float) -> float:
        found = [self._in(epoch, at) for epoch in self._fitting(at, 0)]
        in_gaps = (moved for moved in found if any(begin <= moved <= end for begin, end in self._gaps))
        return next(in_gaps, found[0] if found else at)

    def _in(self, epoch: int, at: float) -> float:
        return at + self._epochs[epoch].shift

    def _fitting(self, at: float, first: int) -> Iterator[int]:
        """Yield the epochs in which a time can have been told, from `first` on."""
        for number in range(first, len(self._epochs)):
            if (
                self._epochs[number].begin - SLACK_S
                <= self._in(number, at)
                <= self._epochs[number].end + SLACK_S
            ):
                yield number


def _is_jump(mark: Mark) -> bool:
    return mark.mark == "clock_set" and mark.seconds is not None and abs(mark.seconds) < LONGEST_S


def _list_epochs(jumps: Sequence[Mark], submitted_at: float) -> Iterator[_Epoch]:
    sizes = [mark.seconds or 0.0 for mark in jumps]
    later = [*reversed(list(accumulate(reversed(sizes)))), 0.0]
    begin = submitted_at + later[0]
    for mark, shift, after in zip(jumps, later, later[1:], strict=False):
        end = mark.at + after
        yield _Epoch(shift=shift, begin=begin, end=end)
        begin = end
    yield _Epoch(shift=0.0, begin=begin, end=inf)


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
