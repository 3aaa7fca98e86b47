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
    for index, mark in enumerate(marks):
        if mark.mark == "paused":
            end = next((later.at for later in marks[index + 1 :] if later.mark in GOES_ON), inf)
            yield Stroke(begin=mark.at, end=end, category="paused")
        elif mark.mark == "validated" and mark.seconds:
            yield Stroke(begin=mark.at - mark.seconds, end=mark.at, category="validate")
    validated = {mark.step: mark.at for mark in marks if mark.mark == "validated"}
    yield from _saves([mark for mark in marks if mark.mark == "saved"], taken, validated)


def _saves(
    saves: Sequence[Mark], taken: Sequence[Taken], validated: dict[int | None, float]
) -> Iterator[Stroke]:
    """Paint each save behind its step, where it held the loop up: it was safe, and told, only later."""
    places: dict[int, list[int]] = {}
    for index, step in enumerate(taken):
        places.setdefault(step.step, []).append(index)
    for mark in saves:
        if not mark.seconds:
            continue
        known = places.get(mark.step, []) if mark.step is not None else []
        before = bisect_right(known, mark.at, key=lambda index: taken[index].end)
        if not before:
            yield Stroke(begin=mark.at - mark.seconds, end=mark.at, category="save_stall")
            continue
        index = known[before - 1]
        begin = max(taken[index].end, validated.get(mark.step, 0.0))
        following = taken[index + 1].begin if index + 1 < len(taken) else None
        end = min(begin + mark.seconds, inf if following is None else following)
        yield Stroke(begin=begin, end=end, category="save_stall")
