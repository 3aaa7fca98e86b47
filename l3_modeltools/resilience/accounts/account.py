"""What the time of a run went into, from the moment it was submitted."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from l3_modeltools.resilience.accounts.held import held_strokes
from l3_modeltools.resilience.accounts.paint import CATEGORIES, PER_SECOND, Category, Interval, paint
from l3_modeltools.resilience.accounts.stops import list_begins, stop_strokes
from l3_modeltools.resilience.accounts.taken import list_taken, step_strokes
from l3_modeltools.runs import Mark, Metric
from l3_modeltools.schemas import TrainingFault

__all__ = ["Accounts", "account"]


@dataclass(frozen=True, kw_only=True, slots=True)
class Accounts:
    """The wall time of a run by category, and as intervals one after the other without a gap."""

    intervals: tuple[Interval, ...]
    spent_s: Mapping[Category, float]
    """Seconds by category, all of them, in the order of `CATEGORIES`; they sum to `wall_s`."""

    @property
    def wall_s(self) -> float:
        """From its submission until its end, or now."""
        if not self.intervals:
            return 0.0
        return (self.intervals[-1].end_ns - self.intervals[0].begin_ns) / PER_SECOND


def account(
    *,
    submitted_at: float,
    until: float,
    starts: Sequence[float],
    marks: Sequence[Mark],
    faults: Sequence[TrainingFault],
    lines: Sequence[Metric],
    submissions: Sequence[float] = (),
) -> Accounts:
    """Attribute the time from `submitted_at` to `until` (its end, or now), in seconds since the epoch.

    `starts` are those of its jobs (`read_starts`), `submissions` when those were submitted, sorted, `lines` its metrics
    in the order in which they were written (`read_metric_lines`): a step that comes again was redone, and the last time
    counts. Anything may be missing, be cut off or have been told by a clock that jumped: what is not known is `other`.
    """
    taken = list_taken(lines, list_begins(starts, marks))
    step_ends = sorted(step.end for step in taken)
    strokes = [
        *step_strokes(taken),
        *held_strokes(marks, taken),
        *stop_strokes(submitted_at, starts, marks, faults, step_ends, submissions),
    ]
    return _sum_up(paint(strokes, submitted_at, until))


def _sum_up(intervals: tuple[Interval, ...]) -> Accounts:
    spent = dict.fromkeys(CATEGORIES, 0)
    for interval in intervals:
        spent[interval.category] += interval.end_ns - interval.begin_ns
    return Accounts(
        intervals=intervals, spent_s={category: ns / PER_SECOND for category, ns in spent.items()}
    )
