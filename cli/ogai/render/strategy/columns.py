"""A rank's turns as columns of a terminal: which part of the step is shown, and what goes on in each column."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from l3_modeltools import Event, Timeline

__all__ = ["IDLE", "Cell", "View", "cells_of", "view_of"]

Taken = dict[tuple[str, bool], float]
"""Shares of a bin by kind of turn, and whether its micro batch is odd."""

GAP = 3
"""Columns between the begin of a step and its end, where the middle is left out."""

MORE = 1.5
"""How much is shown of begin and end where the middle is left out, over what passes until all ranks do both kinds."""

IDLE = ""
SOME = 0.25
"""A column tells of what takes at least this share of it, beside what takes most."""


@dataclass(frozen=True, slots=True)
class Window:
    """A part of the step, in seconds."""

    start: float
    end: float


@dataclass(frozen=True, slots=True)
class View:
    """What is shown of a step: all of it, or its begin and its end; `coarse`: a column holds several turns."""

    windows: tuple[Window, ...]
    columns: int
    """Of each window."""
    coarse: bool = False


@dataclass(frozen=True, slots=True)
class Cell:
    """What a rank does in the left half of a column and in its right: F, B, W or nothing; odd micro batches apart."""

    left: str
    right: str
    left_odd: bool = False
    right_odd: bool = False


def view_of(timeline: Timeline, columns: int) -> View:
    """Show all of it, or begin and end with what ranks wait for there; every turn in a column at least, if it fits."""
    turns = [event.end - event.start for events in timeline.ranks for event in events]
    each = min((seconds for seconds in turns if seconds > 0), default=timeline.length)
    if timeline.length <= each * columns:
        return View((Window(0.0, timeline.length),), columns)
    half, begin = (columns - GAP) // 2, max(_warm_up(timeline), _cool_down(timeline))
    shown = each * half if begin < each * half else MORE * begin
    if 2 * shown >= timeline.length:
        return View((Window(0.0, timeline.length),), columns, coarse=True)
    windows = Window(0.0, shown), Window(timeline.length - shown, timeline.length)
    return View(windows, half, coarse=shown > each * half)


def cells_of(events: Sequence[Event], window: Window, columns: int, *, coarse: bool) -> Iterator[Cell]:
    """Yield the columns of a rank."""
    if coarse:
        for taken in _taken(events, window, columns):
            yield _mixed(taken)
        return
    halves = [_most(taken) for taken in _taken(events, window, 2 * columns)]
    for (left, left_odd), (right, right_odd) in zip(halves[::2], halves[1::2], strict=True):
        yield Cell(left, right, left_odd, right_odd)


def _warm_up(timeline: Timeline) -> float:
    """When the last rank to do so begins its first backward turn."""
    return max(
        (next((event.start for event in events if event.kind == "B"), 0.0) for events in timeline.ranks),
        default=0.0,
    )


def _cool_down(timeline: Timeline) -> float:
    """How long before the end the first rank to do so has done its last forward turn."""
    ends = (
        max((event.end for event in events if event.kind == "F"), default=0.0) for events in timeline.ranks
    )
    return timeline.length - min(ends, default=0.0)


def _taken(events: Sequence[Event], window: Window, bins: int) -> list[Taken]:
    """What goes on in each of so many equal parts of a window."""
    each = (window.end - window.start) / bins
    found: list[Taken] = [{} for _ in range(bins)]
    for event in events:
        start, end = (event.start - window.start) / each, (event.end - window.start) / each
        for place in range(max(0, int(start)), min(bins - 1, int(end)) + 1 if end > 0 else 0):
            share = min(end, place + 1) - max(start, place)
            if share > 0:
                look = event.kind, event.batch % 2 == 1
                found[place][look] = found[place].get(look, 0.0) + share
    return found


def _most(taken: Taken) -> tuple[str, bool]:
    """What takes most of a bin, if it is more than what is left."""
    if not taken:
        return IDLE, False
    look = max(taken, key=taken.__getitem__)
    return look if taken[look] >= 1 - sum(taken.values()) else (IDLE, False)


def _mixed(taken: Taken) -> Cell:
    """The two kinds that take most of a column, idleness among them, or one of them twice."""
    kinds: dict[str, float] = {}
    for (kind, _), share in taken.items():
        kinds[kind] = kinds.get(kind, 0.0) + share
    kinds[IDLE] = max(0.0, 1 - sum(kinds.values()))
    first, *others = sorted(kinds, key=lambda kind: -kinds[kind])
    if not others or kinds[others[0]] < SOME:
        return Cell(first, first)
    left, right = sorted((first, others[0]), key="FBW".find)
    return Cell(right, left) if left == IDLE else Cell(left, right)
