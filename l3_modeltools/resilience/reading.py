"""What a log tells of a failure: known errors, or an exception of the program's own."""

from collections.abc import Sequence
from dataclasses import dataclass

from l3_modeltools.resilience.catalogue import Catalogue, Match
from l3_modeltools.resilience.exceptions import Raised, find_exceptions, without_quotes

__all__ = ["Reading", "read_log"]

NEAR = 50
"""A known cause so many lines before a traceback explains it; an older one may have been lived through."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Reading:
    """Known errors, the likeliest cause first; `own` is the exception in no catalogue that comes before all of them."""

    own: Raised | None
    matches: tuple[Match, ...]

    @property
    def match(self) -> Match | None:
        """The known error that explains the log."""
        return self.matches[0] if self.matches and self.own is None else None


def read_log(lines: Sequence[str], catalogue: Catalogue) -> Reading:
    """Read a log, oldest line first."""
    matches = catalogue.find(without_quotes(lines))
    own = find_own(lines, catalogue)
    if own is not None and any(explains(match, own) for match in matches):
        own = None
    return Reading(own=own, matches=matches)


def find_own(lines: Sequence[str], catalogue: Catalogue) -> Raised | None:
    """Return the first exception that is no symptom, if it is in no catalogue."""
    for raised in find_exceptions(lines):
        match = catalogue.match([str(raised)])
        if match is None or match.error.standing != "symptom":
            return raised if match is None else None
    return None


def explains(match: Match, own: Raised) -> bool:
    return match.error.standing == "cause" and match.number >= own.began - NEAR
