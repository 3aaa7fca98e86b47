"""What a node's log is searched for on the node itself, so that little is sent: fixed pieces of the catalogue's texts.

The pieces lie in `sieve.sh`, made anew by `python -m l0_infra.facts.kernel_log` when the catalogue has changed: to
ask a node nothing of the catalogue needs to be read.
"""

import shlex
from collections.abc import Iterable, Iterator

from l0_infra.facts.kernel_log.catalogue import load_events
from l0_infra.facts.kernel_log.flaps import GAINED
from l0_infra.facts.kernel_log.text import VIRTUAL, parse_pattern
from l0_infra.schemas import KnownEvent, Severity

__all__ = ["render_sieve"]

GRAVE: tuple[Severity, ...] = ("fatal", "error")


def render_sieve() -> str:
    """Write two lists of pieces, of events that are grave and of what may come in floods beside them, and of names."""
    events = load_events()
    grave = set(_pieces(event for event in events if event.severity in GRAVE))
    mild = {*_pieces(event for event in events if event.severity not in GRAVE), *map(_anchor, GAINED)}
    lists = {
        "grave": "\n".join(_shortest(grave)),
        "mild": "\n".join(_shortest(mild - grave)),
        "virtual": "|".join(VIRTUAL),
    }
    return "".join(f"{name}={shlex.quote(value)}\n" for name, value in lists.items())


def _pieces(events: Iterable[KnownEvent]) -> Iterator[str]:
    """Yield the longest piece of each line of each text."""
    yield from (_anchor(line) for event in events for text in event.texts for line in text.split("\n"))


def _anchor(line: str) -> str:
    return parse_pattern(line).anchor


def _shortest(pieces: set[str]) -> list[str]:
    """Leave out what contains another piece: the lines with it are found by that."""
    return sorted(one for one in pieces if not any(other in one and other != one for other in pieces))
