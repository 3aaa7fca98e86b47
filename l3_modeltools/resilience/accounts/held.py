"""What held the loop up between two steps: saves, validations, waiting."""

from bisect import bisect_right
from collections.abc import Iterator, Sequence
from math import inf

from l3_modeltools.resilience.accounts.paint import Stroke
from l3_modeltools.resilience.accounts.taken import Taken
from l3_modeltools.runs import Mark

__all__ = ["held_strokes"]

GOES_ON = ("went_on", "spawned", "supervised", "ended")


def held_strokes(marks: Sequence[Mark], taken: Sequence[Taken]) -> Iterator[Stroke]:
    """Paint what the marks tell."""
    goes_on = inf
    for mark in reversed(marks):
        if mark.mark == "paused":
            yield Stroke(begin=mark.at, end=goes_on, category="paused")
        elif mark.mark == "validated" and mark.seconds:
            yield Stroke(begin=mark.at - mark.seconds, end=mark.at, category="validate")
        elif mark.mark in GOES_ON:
            goes_on = mark.at
    yield from _Saves(marks, taken).strokes()


class _Saves:
    """Places each save behind its step, where it held the loop up: it was safe, and told, only later."""

    def __init__(self, marks: Sequence[Mark], taken: Sequence[Taken]) -> None:
        self.marks, self.taken = marks, taken
        self.validated = {mark.step: mark.at for mark in marks if mark.mark == "validated"}
        self.places: dict[int | None, list[int]] = {}
        for index, step in enumerate(taken):
            self.places.setdefault(step.step, []).append(index)

    def strokes(self) -> Iterator[Stroke]:
        for mark in self.marks:
            if mark.mark == "saved" and mark.seconds:
                yield self._stroke(mark, mark.seconds)

    def _stroke(self, mark: Mark, seconds: float) -> Stroke:
        index = self._step_of(mark)
        if index is None:
            return Stroke(begin=mark.at - seconds, end=mark.at, category="save_stall")
        begin = max(self.taken[index].end, self.validated.get(mark.step, 0.0))
        following = self.taken[index + 1].begin if index + 1 < len(self.taken) else None
        end = begin + seconds if following is None else min(begin + seconds, following)
        return Stroke(begin=begin, end=end, category="save_stall")

    def _step_of(self, mark: Mark) -> int | None:
        """Return which step of `taken` a save followed: the last that ended before it was told."""
        known = self.places.get(mark.step, [])
        before = bisect_right(known, mark.at, key=lambda index: self.taken[index].end)
        return known[before - 1] if before else None
