"""The steps that were taken, in the order of their lines, and how much of the time each took."""

from bisect import bisect_right
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from math import isfinite

from l3_modeltools.resilience.accounts.paint import Category, Stroke
from l3_modeltools.runs import Metric

__all__ = ["Taken", "list_taken", "step_strokes"]


@dataclass(frozen=True, kw_only=True, slots=True)
class Taken:
    """A step as it was taken once, from `begin` (None: unknown) to `end`, in seconds since the epoch."""

    step: int
    begin: float | None
    end: float


def list_taken(lines: Sequence[Metric], begins: Sequence[float]) -> tuple[Taken, ...]:
    """List the steps of a run from its metrics in the order of their lines.

    A trainer that does not tell how long a step took is taken to step without a break, but for the `begins` (sorted) at
    which its processes were started. Two lines about one step in a row are one step, unless both tell its length.
    """
    taken: list[Taken] = []
    measured = False
    for line in lines:
        if line.at is None or not isfinite(line.at):
            continue
        again = taken and taken[-1].step == line.step and not (measured and line.step_s is not None)
        if not again:
            before = taken[-1].end if taken else None
            taken.append(
                Taken(step=line.step, begin=_begin(line.at, line.step_s, before, begins), end=line.at)
            )
            measured = line.step_s is not None
    return tuple(taken)


def _begin(at: float, step_s: float | None, before: float | None, begins: Sequence[float]) -> float | None:
    if step_s is not None:
        return at - step_s if isfinite(step_s) else None
    started_between = before is not None and bisect_right(begins, at) > bisect_right(begins, before)
    return None if started_between else before


def step_strokes(taken: Sequence[Taken]) -> Iterator[Stroke]:
    """Paint the steps: of one that was taken again the last time is productive, the time before was lost."""
    last = {step.step: index for index, step in enumerate(taken)}
    for index, step in enumerate(taken):
        if step.begin is not None:
            category: Category = "productive" if last[step.step] == index else "redone"
            yield Stroke(begin=step.begin, end=step.end, category=category)
