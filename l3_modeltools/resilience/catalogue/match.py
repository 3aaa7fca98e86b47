"""Which known errors stand in a log.

A text of an entry is cut at its `*` into pieces that must follow each other in one line. The first place where each
piece can stand is looked for, one after the other; no way back is ever taken, so that no line, however made, costs
more than its length. Of a whole log, only lines with the entry's longest piece are looked at.
"""

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property

from l3_modeltools.schemas import KnownError, Standing

__all__ = ["Catalogue", "Match", "clean_log"]

STANDINGS: tuple[Standing, ...] = ("cause", "general", "symptom")
COLOUR = re.compile(r"\x1b\[[0-9;?]{0,32}[A-Za-z]")
SHOWN = 400
"""Characters of a line that are shown."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Match:
    """A known error in a log, with the line it was recognised by and that line's number, from 0."""

    error: KnownError
    line: str
    number: int


@dataclass(frozen=True, kw_only=True, slots=True)
class Place:
    """Where a text of an entry stands in a log."""

    start: int
    """Offset of its line."""
    first: int
    """Offset of its first piece."""
    literal: int
    """How many characters of the text do not vary: the more, the less of a coincidence."""


class Catalogue:
    """Known errors, those first that are to be preferred among equals."""

    def __init__(self, errors: Iterable[KnownError]) -> None:
        self.errors = tuple(errors)

    @cached_property
    def names(self) -> dict[str, KnownError]:
        """Return all entries by name."""
        return {error.name: error for error in self.errors}

    def match(self, lines: Iterable[str]) -> Match | None:
        """Return what these lines say went wrong: the cause rather than what followed from it; None: nothing known."""
        return next(iter(self.find(lines)), None)

    def find(self, lines: Iterable[str]) -> tuple[Match, ...]:
        """Return all known errors in these lines, the likeliest cause first; a line tells one error only."""
        log = clean_log(lines)
        found = [(error, place) for error in self.errors if (place := find_error(log, error)) is not None]
        found.sort(key=lambda pair: rank_of(*pair))
        return tuple(match_at(log, error, place) for error, place in one_a_line(found))


def clean_log(lines: Iterable[str]) -> str:
    """Join lines to one text, without colours, and with progress bars' overwritten lines as lines of their own."""
    return COLOUR.sub("", "\n".join(lines)).replace("\r", "\n")


def one_a_line(found: Iterable[tuple[KnownError, Place]]) -> Iterator[tuple[KnownError, Place]]:
    """Pass on the first of those in the same line."""
    taken: set[int] = set()
    for error, place in found:
        if place.start not in taken:
            taken.add(place.start)
            yield error, place


def rank_of(error: KnownError, place: Place) -> tuple[int, int, int]:
    """Order by standing, then by where the line is, then by how much of it is recognised."""
    return STANDINGS.index(error.standing), place.start, -place.literal


def match_at(log: str, error: KnownError, place: Place) -> Match:
    return Match(error=error, line=shown_line(log, place), number=log.count("\n", 0, place.start))


def shown_line(log: str, place: Place) -> str:
    """Return the line, or of one that is too long the part with the error."""
    end = log.find("\n", place.first)
    end = len(log) if end < 0 else end
    start = place.start if end - place.start <= SHOWN else place.first
    return log[start : min(end, start + SHOWN)].strip()


def find_error(log: str, error: KnownError) -> Place | None:
    """Return the first line with one of the texts of an entry; of two in that line, the one that says more."""
    places = [place for text in error.texts if (place := find_text(log, text)) is not None]
    return min(places, key=lambda place: (place.start, -place.literal), default=None)


def find_text(log: str, text: str) -> Place | None:
    """Return the first line that contains `text`, whose `*` stand for anything."""
    pieces = [piece for piece in text.split("*") if piece]
    for start, end in lines_with(log, max(pieces, key=len)):
        if (first := follow(log, pieces, start, end)) is not None:
            return Place(start=start, first=first, literal=sum(map(len, pieces)))
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
