"""When a run did not train because it was started, had stopped, or was being mended."""

from bisect import bisect_right
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from math import inf

from l3_modeltools.resilience.accounts.paint import Category, Stroke
from l3_modeltools.runs import Mark, is_final
from l3_modeltools.schemas import TrainingFault

__all__ = ["list_begins", "stop_strokes"]

BEGINS = ("started", "supervised", "spawned")
SETTLES = (*BEGINS, "ready", "ended")


@dataclass(frozen=True, kw_only=True, slots=True)
class _Moment:
    at: float
    word: str
    mark: Mark | None


def list_begins(starts: Sequence[float], marks: Sequence[Mark]) -> tuple[float, ...]:
    """List when processes of a run were started, sorted, in seconds since the epoch."""
    return tuple(sorted([*starts, *(mark.at for mark in marks if mark.mark in BEGINS)]))


def stop_strokes(
    submitted_at: float,
    starts: Sequence[float],
    marks: Sequence[Mark],
    faults: Sequence[TrainingFault],
    step_ends: Sequence[float],
    submissions: Sequence[float] = (),
) -> Iterator[Stroke]:
    """Paint everything around the steps; `step_ends` and `submissions`, of all its jobs, are sorted."""
    moments = sorted(
        [
            *(_Moment(at=at, word="started", mark=None) for at in starts),
            *(_Moment(at=mark.at, word=mark.mark, mark=mark) for mark in marks),
        ],
        key=lambda moment: moment.at,
    )
    known = {fault.fault_id: fault for fault in faults}
    yield from _Walk(submitted_at, moments, known, step_ends, submissions).strokes()


class _Walk:
    """Goes through what happened in order of time, and remembers what the next start is for."""

    def __init__(
        self,
        submitted_at: float,
        moments: Sequence[_Moment],
        faults: Mapping[int, TrainingFault],
        step_ends: Sequence[float],
        submissions: Sequence[float],
    ) -> None:
        self.submissions = submissions
        self.submitted_at, self.moments, self.faults, self.step_ends = (
            submitted_at,
            moments,
            faults,
            step_ends,
        )
        self.settled = _next_settled(moments)
        self.reason: Category = "setup"
        self.ended: Mark | None = None
        self.begun: str | None = None
        """The kind of the last begin of this process; None before the first."""

    def strokes(self) -> Iterator[Stroke]:
        for index, moment in enumerate(self.moments):
            if moment.word in BEGINS:
                yield from self._before(index, moment)
                yield Stroke(begin=moment.at, end=self._ready_after(index), category=self.reason)
                self.begun, self.ended = moment.word, None
            elif moment.word == "ended" and moment.mark is not None:
                yield from self._mended(moment.mark)
                self.ended = moment.mark
        if not self.moments or self.begun is None:
            yield Stroke(begin=self.submitted_at, end=inf, category="queue")
        if self.ended is not None and self.ended.exit_code != 0:
            yield from self._away(self.ended, inf)

    def _before(self, index: int, moment: _Moment) -> Iterator[Stroke]:
        """Paint what led to this begin."""
        if self.begun is None:
            yield Stroke(begin=self.submitted_at, end=moment.at, category="queue")
        elif self.ended is not None:
            yield from self._away(self.ended, moment.at)
            self.reason = "setup" if _after(self.ended) == "stopped" else "restart"
        elif moment.word == "started" or (moment.word == "supervised" and self.begun != "started"):
            yield Stroke(begin=self._alive_before(index), end=moment.at, category="restart")
            self.reason = "restart"
        elif moment.mark is not None and moment.mark.fault_id is not None and self.begun == "spawned":
            yield from self._mended(moment.mark)
            self.reason = "restart"

    def _away(self, ended: Mark, until: float) -> Iterator[Stroke]:
        """Paint the time after an end: from the moment on that a person wants it to go on, it waits for its turn."""
        category = _after(ended)
        wanted = min(_next_after(self.submissions, ended.at), until)
        stopped_until = wanted if category == "stopped" else until
        yield Stroke(begin=ended.at, end=stopped_until, category=category)
        yield Stroke(begin=stopped_until, end=until, category="queue")

    def _mended(self, mark: Mark) -> Iterator[Stroke]:
        """Paint how a fault that stopped the ranks was noticed, placed and mended, until `mark`."""
        if mark.fault_id is None:
            return
        fault = self.faults.get(mark.fault_id)
        if fault is None:
            yield Stroke(begin=self._step_before(mark.at), end=mark.at, category="restart")
            return
        occurred_at = fault.detected_at if fault.occurred_at is None else fault.occurred_at
        located_at = fault.detected_at if fault.located_at is None else fault.located_at
        yield Stroke(begin=self._step_before(occurred_at), end=occurred_at, category="redone", faint=True)
        yield Stroke(begin=occurred_at, end=fault.detected_at, category="detect")
        yield Stroke(begin=fault.detected_at, end=located_at, category="locate")
        yield Stroke(begin=located_at, end=mark.at, category="restart")

    def _ready_after(self, index: int) -> float:
        """Return when the ranks of this begin were ready, or when it was superseded."""
        return min(self.settled[index], _next_after(self.step_ends, self.moments[index].at))

    def _alive_before(self, index: int) -> float:
        """Return the last sign of life before a moment: a mark or the end of a step."""
        told = self.moments[index - 1].at if index else self.submitted_at
        return max(told, self._step_before(self.moments[index].at))

    def _step_before(self, at: float) -> float:
        place = bisect_right(self.step_ends, at)
        return self.step_ends[place - 1] if place else at


def _after(ended: Mark) -> Category:
    """Say what the time after an end is: the job is tried again by itself, or it stays stopped."""
    return "stopped" if ended.exit_code is None or is_final(ended.exit_code) else "restart"


def _next_settled(moments: Sequence[_Moment]) -> list[float]:
    """Return for each moment when the ranks were next ready, begun anew or ended."""
    following, at = [], inf
    for moment in reversed(moments):
        following.append(at)
        if moment.word in SETTLES:
            at = moment.at
    return following[::-1]


def _next_after(times: Sequence[float], at: float) -> float:
    """Return the first of some sorted times that is later; never: infinity."""
    place = bisect_right(times, at)
    return times[place] if place < len(times) else inf
