"""How often links were lost and came back, by the lines that drivers, systemd-networkd and NetworkManager write."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache

from l0_infra.facts.kernel_log.catalogue import load_events
from l0_infra.facts.kernel_log.index import Index
from l0_infra.facts.kernel_log.lines import Line
from l0_infra.facts.kernel_log.log import KernelLog, in_order
from l0_infra.facts.kernel_log.text import Pattern, match_line, parse_pattern

__all__ = ["GAINED", "LOST", "Flaps", "count_flaps"]

LOST = "link-lost"
"""Name of the catalogue's entry for a link that was lost."""

GAINED = (
    "{interface}: Gained carrier",
    "{interface}: Link up",
    "{interface}: NIC Link is Up",
    "{interface} NIC Link is Up",
    "{interface}: Link is up",
    "{interface}: Link is Up",
    "{interface}: link up",
    "ADDRCONF(NETDEV_CHANGE): {interface}: link becomes ready",
    "device ({interface}): carrier: link connected",
    "(slave {interface}): link status definitely up",
    "link status definitely up for interface {interface},",
)
WINDOW_S = 86400.0
"""What is counted: the last day before the node was asked, or all of a log of which nobody knows when that was."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Flaps:
    """How often a link was lost and came back, and when it was last lost, whether or not it came back."""

    count: int
    last_uptime_s: float | None = None
    last_at: float | None = None


@dataclass(frozen=True, kw_only=True, slots=True)
class Change:
    """A link that was lost, or came back."""

    interface: str
    lost: bool
    line: Line


def count_flaps(log: KernelLog) -> Mapping[str, Flaps] | None:
    """Return the flaps of each network interface that was lost or came back; None when no log was read.

    A flap is a loss and the return after it. What is said again of a link that is lost already counts once, and so
    does what comes again within the same second.
    """
    if log.lines is None:
        return None
    found: dict[str, Flaps] = {}
    down: dict[str, bool] = {}
    asked_at = log.clock.asked_at
    for change in _changes(log.lines, since=0 if asked_at is None else asked_at - WINDOW_S):
        before = found.get(change.interface, Flaps(count=0))
        if change.lost:
            line = change.line
            found[change.interface] = replace(before, last_uptime_s=line.uptime_s, last_at=line.at)
        else:
            came_back = down.get(change.interface, False)
            found[change.interface] = replace(before, count=before.count + came_back)
        down[change.interface] = change.lost
    return found


def _changes(lines: Sequence[Line], since: float) -> Iterator[Change]:
    """Yield the changes since a time, in their order; what comes again within a second is left out."""
    said: set[tuple[str, bool, int]] = set()
    changes = [change for change in _told(lines) if change.line.at is None or change.line.at >= since]
    for number in in_order([change.line for change in changes]):
        change = changes[number]
        time = change.line.uptime_s if change.line.at is None else change.line.at
        key = (change.interface, change.lost, int(time or 0))
        if time is None or key not in said:
            said.add(key)
            yield change


def _told(lines: Sequence[Line]) -> Iterator[Change]:
    texts = [line.text for line in lines]
    for number, patterns in _index().candidates(texts).items():
        told = ((lost, match_line(texts[number], pattern)) for lost, pattern in patterns)
        for lost, match in told:
            if match is not None and match.device is not None:
                yield Change(interface=match.device, lost=lost, line=lines[number])
                break


@cache
def _index() -> Index[tuple[bool, Pattern]]:
    lost = (text for event in load_events() if event.name == LOST for text in event.texts)
    texts = [*((True, text) for text in lost), *((False, text) for text in GAINED)]
    patterns = [(lost, parse_pattern(text)) for lost, text in texts]
    return Index((pattern, (lost, pattern)) for lost, pattern in patterns)
