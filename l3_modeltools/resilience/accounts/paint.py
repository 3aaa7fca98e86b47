"""Time as a wall that is painted over and over: what is known best is painted last, so that the colours sum to it."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import groupby
from typing import Literal, get_args

__all__ = ["CATEGORIES", "Category", "Interval", "Stroke", "paint"]

Category = Literal[
    "productive",
    "redone",
    "queue",
    "setup",
    "detect",
    "locate",
    "restart",
    "save_stall",
    "validate",
    "paused",
    "stopped",
    "other",
]
"""What a run's time went into.

`productive`: steps whose result counts. `redone`: steps that were done again later, and work on a step that a fault
cut off. `queue`: from when a person wants it to run until it starts. `setup`: until the ranks are ready, at the first
start and after a stop. `detect`: until a fault was noticed. `locate`: from then until it was known who is suspected and
what to do. `restart`: from then until the ranks are ready again. `save_stall`: the loop was held up by a save.
`validate`: by a validation. `paused`: it waited, for room on the disk for example. `stopped`: between its end by a
person's wish or a verdict and when a person wants it to go on. `other`: what nobody told of, such as the time between
two steps.
"""

CATEGORIES: tuple[Category, ...] = get_args(Category)

LAYERS: tuple[tuple[Category, bool], ...] = (
    ("paused", False),
    ("validate", False),
    ("save_stall", False),
    ("productive", False),
    ("redone", False),
    ("detect", False),
    ("locate", False),
    ("restart", False),
    ("setup", False),
    ("stopped", False),
    ("queue", False),
    ("redone", True),
)
"""Category and faintness, what shows through first: what was measured above what was concluded."""

LAYER = {layer: depth for depth, layer in enumerate(LAYERS)}
PER_SECOND = 1_000_000_000
LAST = 9e9
"""A time that no run lives to see, for strokes without an end."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Stroke:
    """A belief about a stretch of time, in seconds since the epoch; a faint one yields to every other."""

    begin: float
    end: float
    category: Category
    faint: bool = False


@dataclass(frozen=True, kw_only=True, slots=True)
class Interval:
    """A stretch of time, in whole nanoseconds since the epoch, so that sums are exact."""

    begin_ns: int
    end_ns: int
    category: Category

    @property
    def seconds(self) -> float:
        """How long it is."""
        return (self.end_ns - self.begin_ns) / PER_SECOND


def paint(strokes: Iterable[Stroke], begin: float, end: float) -> tuple[Interval, ...]:
    """Cut the time from `begin` to `end` into intervals without gap or overlap; neighbours differ.

    Strokes that lie outside, or end before they begin because a clock jumped, leave no colour.
    """
    first, last = _ns(begin), max(_ns(begin), _ns(end))
    pieces = _pieces(_changes(strokes, first, last), first, last)
    return tuple(_joined(list(group)) for _, group in groupby(pieces, key=lambda piece: piece.category))


def _changes(strokes: Iterable[Stroke], first: int, last: int) -> list[tuple[int, int, int]]:
    """Return when which layer gains or loses a stroke, in order."""
    changes = []
    for stroke in strokes:
        begin, end = max(first, _ns(stroke.begin)), min(last, _ns(stroke.end))
        if begin < end:
            layer = LAYER[stroke.category, stroke.faint]
            changes += [(begin, layer, 1), (end, layer, -1)]
    changes.sort()
    return changes


def _pieces(changes: list[tuple[int, int, int]], first: int, last: int) -> Iterator[Interval]:
    covered, at = [0] * len(LAYERS), first
    for moment, layer, change in [*changes, (last, 0, 0)]:
        if moment > at:
            yield Interval(begin_ns=at, end_ns=moment, category=_seen(covered))
            at = moment
        covered[layer] += change


def _seen(covered: list[int]) -> Category:
    for layer, count in enumerate(covered):
        if count:
            return LAYERS[layer][0]
    return "other"


def _joined(pieces: list[Interval]) -> Interval:
    return Interval(begin_ns=pieces[0].begin_ns, end_ns=pieces[-1].end_ns, category=pieces[0].category)


def _ns(seconds: float) -> int:
    return round(min(max(seconds, 0.0), LAST) * PER_SECOND)
