"""What the log of any trainer means, when nothing but the log is known."""

from collections.abc import Iterable, Sequence

import msgspec

from l3_modeltools.resilience.catalogue import Catalogue, Match
from l3_modeltools.resilience.exceptions import Raised, bare
from l3_modeltools.resilience.reading import read_log
from l3_modeltools.resilience.suspicion import find_suspicious
from l3_modeltools.resilience.words import first_words
from l3_modeltools.schemas import FaultAction, FaultClass, KnownError

__all__ = ["Meaning", "classify_text"]


class Meaning(msgspec.Struct, frozen=True, kw_only=True):
    """What a log says went wrong, and by which line."""

    fault_class: FaultClass | None
    """`crash` also for an exception that is in no catalogue; `unknown`: a line looks like a fault and is in none; null:
    no line looks like one.
    """
    advised: FaultAction
    line: str = ""
    line_number: int | None = None
    """Counted from 1; null: there is no such line."""
    lines_read: int = 0
    lines_before: int = 0
    """Lines of a long log that were not read: what went wrong stands at its end."""
    error: KnownError | None = None
    """The entry of the catalogue; null: it is in none."""
    also: tuple[str, ...] = ()
    """Names of further entries with a line in this log, the more important first."""


def classify_text(lines: Iterable[str], catalogue: Catalogue) -> Meaning:
    """Say what a log means: its cause, else an exception of the program's own, else what followed from it.

    Of a log that tells nothing of the kind, say which line looks like a fault that nobody has described.
    """
    log = list(lines)
    read = len(log) - (log[-1:] == [""])
    return msgspec.structs.replace(meaning_of(log, catalogue), lines_read=read)


def meaning_of(log: Sequence[str], catalogue: Catalogue) -> Meaning:
    reading = read_log(log, catalogue)
    if reading.own is not None:
        return of_exception(reading.own, reading.matches)
    if reading.match is not None:
        return of_match(reading.match, reading.matches[1:])
    if (number := find_suspicious(log)) is not None:
        line = first_words(bare(log[number]))
        return Meaning(fault_class="unknown", advised="none", line=line, line_number=number + 1)
    return Meaning(fault_class=None, advised="none")


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
