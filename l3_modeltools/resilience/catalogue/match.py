"""Which known errors stand in a log.

A text of an entry is cut at its `*` into pieces that must follow each other in one line. The first place where each
piece can stand is looked for, one after the other; no way back is ever taken, so that no line, however made, costs
more than its length. Of a whole log, only lines with the entry's longest piece are looked at.
"""

import re
from collections.abc import Container, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property

from l3_modeltools.schemas import KnownError, Standing

__all__ = ["COLOUR", "STANDINGS", "Catalogue", "Match"]

STANDINGS: tuple[Standing, ...] = ("cause", "general", "symptom")
COLOUR = re.compile(r"\x1b\[[0-9;?]{0,32}[A-Za-z]")
ANYTHING = "*"
SHOWN = 400
"""Characters of a line that are shown."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Match:
    """A known error in a log, with the line it was recognised by and that line's number, from 0."""

    error: KnownError
    line: str
    number: int


@dataclass(frozen=True, kw_only=True, slots=True)
class Sought:
    """A text of an entry, cut at its `*`."""

    error: KnownError
    pieces: tuple[str, ...]
    longest: str
    weight: tuple[bool, int]
    """Whether it is a person's own, and how many of its characters do not vary: the more, the less of a coincidence."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Place:
    """Where a text stands in a log: offsets of its line and of its first piece."""

    sought: Sought
    start: int
    first: int

    @property
    def rank(self) -> tuple[int, int]:
        """Order by standing, then by line."""
        return STANDINGS.index(self.sought.error.standing), self.start


class Catalogue:
    """Known errors; of several in one line those named in `own` are preferred, then what says more."""

    def __init__(self, errors: Iterable[KnownError], *, own: Container[str] = ()) -> None:
        self.errors = tuple(errors)
        self._sought = [
            seek(error, text, own=error.name in own) for error in self.errors for text in error.texts
        ]

    @cached_property
    def names(self) -> dict[str, KnownError]:
        """Return all entries by name."""
        return {error.name: error for error in self.errors}

    def match(self, lines: Iterable[str]) -> Match | None:
        """Return what these lines say went wrong: the cause rather than what followed from it; None: nothing known."""
        return next(iter(self.find(lines)), None)

    def find(self, lines: Iterable[str]) -> tuple[Match, ...]:
        """Return all known errors in these lines, the likeliest cause first; a line tells one error only."""
        log = COLOUR.sub("", "\n".join(lines))
        places = filter(None, (find_text(log, sought) for sought in self._sought))
        ordered = sorted(best_of_lines(places), key=lambda place: place.rank)
        first = {place.sought.error.name: place for place in reversed(ordered)}
        return tuple(match_at(log, place) for place in ordered if first[place.sought.error.name] is place)


def seek(error: KnownError, text: str, *, own: bool = False) -> Sought:
    pieces = tuple(piece for piece in text.split(ANYTHING) if piece)
    weight = (own, sum(map(len, pieces)))
    return Sought(error=error, pieces=pieces, longest=max(pieces, key=len), weight=weight)


def best_of_lines(places: Iterable[Place]) -> Iterable[Place]:
    """Keep of those in one line the one that weighs most, of equals the first."""
    best: dict[int, Place] = {}
    for place in places:
        known = best.get(place.start)
        if known is None or place.sought.weight > known.sought.weight:
            best[place.start] = place
    return best.values()


def match_at(log: str, place: Place) -> Match:
    number = log.count("\n", 0, place.start)
    return Match(error=place.sought.error, line=shown_line(log, place), number=number)


def shown_line(log: str, place: Place) -> str:
    """Return the line, without what a progress bar overwrote; of one that is too long, the part with the error."""
    end = log.find("\n", place.first)
    end = len(log) if end < 0 else end
    start = max(place.start, log.rfind("\r", place.start, place.first) + 1)
    start = start if end - start <= SHOWN else place.first
    return log[start : min(end, start + SHOWN)].strip().partition("\r")[0]


def find_text(log: str, sought: Sought) -> Place | None:
    """Return the first line that contains a text."""
    for start, end in lines_with(log, sought.longest):
        if (first := follow(log, sought.pieces, start, end)) is not None:
            return Place(sought=sought, start=start, first=first)
    return None


def lines_with(log: str, piece: str) -> Iterator[tuple[int, int]]:
    """Yield the offsets of beginning and end of each line that contains `piece`."""
    at = log.find(piece)
    while at >= 0:
        end = log.find("\n", at)
        end = len(log) if end < 0 else end
        yield log.rfind("\n", 0, at) + 1, end
        at = log.find(piece, end)


def follow(log: str, pieces: Sequence[str], start: int, end: int) -> int | None:
    """Return where the first piece stands if all pieces follow each other between `start` and `end`."""
    first, at = None, start
    for piece in pieces:
        at = log.find(piece, at, end)
        if at < 0:
            return None
        first = at if first is None else first
        at += len(piece)
    return first
