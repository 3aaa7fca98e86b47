"""What the log of any trainer means, when nothing but the log is known."""

from collections.abc import Iterable

import msgspec

from l3_modeltools.resilience.catalogue import Catalogue, Match
from l3_modeltools.resilience.exceptions import Raised
from l3_modeltools.resilience.reading import read_log
from l3_modeltools.resilience.words import first_words
from l3_modeltools.schemas import FaultAction, FaultClass, KnownError

__all__ = ["Meaning", "classify_text"]


class Meaning(msgspec.Struct, frozen=True, kw_only=True):
    """What a log says went wrong, and by which line."""

    fault_class: FaultClass
    """`crash` also for an exception that is in no catalogue; `unknown` where the log tells of nothing."""
    advised: FaultAction
    line: str = ""
    line_number: int | None = None
    """Counted from 1; null: there is no such line."""
    error: KnownError | None = None
    """The entry of the catalogue; null: it is in none."""
    also: tuple[str, ...] = ()
    """Names of further entries with a line in this log, the more important first."""


def classify_text(lines: Iterable[str], catalogue: Catalogue) -> Meaning:
    """Say what a log means: its cause, else an exception of the program's own, else what followed from it."""
    reading = read_log(list(lines), catalogue)
    if reading.own is not None:
        return of_exception(reading.own, reading.matches)
    if reading.match is not None:
        return of_match(reading.match, reading.matches[1:])
    return Meaning(fault_class="unknown", advised="none")


def of_exception(own: Raised, others: tuple[Match, ...]) -> Meaning:
    return Meaning(
        fault_class="crash",
        advised="restart_worker",
        line=first_words(str(own)),
        line_number=own.number + 1,
        also=tuple(other.error.name for other in others),
    )


def of_match(match: Match, others: tuple[Match, ...]) -> Meaning:
    return Meaning(
        fault_class=match.error.fault_class,
        advised=match.error.advised,
        line=match.line,
        line_number=match.number + 1,
        error=match.error,
        also=tuple(other.error.name for other in others),
    )
