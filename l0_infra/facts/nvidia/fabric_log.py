"""The log of the fabric manager: which version started, what it complained of."""

import re
from collections.abc import Iterator
from dataclasses import dataclass

from l0_infra.facts.bundle import Answers
from l0_infra.facts.nvidia.sources import FABRIC_LOG, FABRIC_VERSION
from l0_infra.facts.vendor import pci_address
from l0_infra.schemas import FabricManager, FabricManagerEvent

__all__ = ["fabric_version", "parse_fabric_manager"]

ENTRY = re.compile(
    r"\[(\w{3} +[0-9]{1,2} [0-9]{4} [0-9:]{8})\] \[(\w{1,12})\] (?:\[tid [0-9]{1,10}\] )?(\S.{0,499})"
)
MORE = re.compile(r"(\w{1,40}) ?: ?(.{1,80})")
SWITCH_ERROR = re.compile(r"detected NVSwitch (?:non-)?fatal error ([0-9]{1,6})\b")
BUS = re.compile(r"pci bus id ([0-9A-Fa-f:.]{7,16})")
VERSION = re.compile(r"fabric manager version (?:is ?: ?)?([0-9]{1,4}(?:\.[0-9]{1,4}){1,3})", re.I)
BAD = frozenset(("WARNING", "ERROR", "CRITICAL", "FATAL"))
MOST = 50
"""Different complaints that are kept, the latest."""


@dataclass(frozen=True, kw_only=True, slots=True)
class _Entry:
    at: str
    level: str
    text: str


def parse_fabric_manager(answers: Answers) -> FabricManager | None:
    """Read the log; None where there is none, or it was not read."""
    log = answers[FABRIC_LOG.name]
    version = fabric_version(answers)
    if not log.ok:
        return None if version is None else FabricManager(software_version=version)
    events: dict[tuple[str, str], FabricManagerEvent] = {}
    for entry in _entries(log.out):
        told = events.pop((entry.level, entry.text), None)
        events[entry.level, entry.text] = _event(entry, 1 if told is None else told.count + 1)
    return FabricManager(software_version=version, events=tuple(events.values())[-MOST:])


def fabric_version(answers: Answers) -> str | None:
    """Return the fabric manager's version: the installed one, else the one that last wrote into the log."""
    installed = VERSION.search(answers[FABRIC_VERSION.name].out)
    started = VERSION.findall(answers[FABRIC_LOG.name].out)
    return installed[1] if installed else started[-1] if started else None


def _entries(log: str) -> Iterator[_Entry]:
    """Yield complaints; the lines `name : value` below one belong to it."""
    entry: _Entry | None = None
    for line in log.split("\n"):
        if match := ENTRY.match(line):
            if entry is not None:
                yield entry
            bad = match[2] in BAD
            entry = _Entry(at=match[1], level=match[2], text=match[3].strip()) if bad else None
        elif entry is not None and (more := MORE.fullmatch(line.strip())):
            entry = _Entry(at=entry.at, level=entry.level, text=f"{entry.text} {more[1]} {more[2]}"[:1000])
        elif entry is not None:
            yield entry
            entry = None
    if entry is not None:
        yield entry


def _event(entry: _Entry, count: int) -> FabricManagerEvent:
    code, bus = SWITCH_ERROR.search(entry.text), BUS.search(entry.text)
    return FabricManagerEvent(
        level=entry.level,
        text=entry.text,
        count=count,
        last_at=entry.at,
        device=pci_address(bus[1]) if bus else None,
        code=int(code[1]) if code else None,
    )
