"""A log becomes lines, each with its time: continued lines take that of the one before, other boots have no uptime."""

import re
from collections.abc import Iterator
from dataclasses import dataclass, replace

import msgspec

from l0_infra.facts.kernel_log.clock import Clock
from l0_infra.facts.kernel_log.head import Head, parse_head

__all__ = ["Line", "parse_lines"]

LONGEST = 4096
"""Characters of a line that are looked at; the kernel's own are a quarter of that at most."""

BACK_S = 60.0
"""When the time since boot falls back by more, the node was booted meanwhile."""

BOOT = ("Linux version ", "-- Boot ", "-- Reboot --")
COLOUR = re.compile(r"\x1b\[[0-9;?]{0,32}[A-Za-z]")
ESCAPE = re.compile(r"\\x([0-9a-f]{2})")


@dataclass(frozen=True, kw_only=True, slots=True)
class Line:
    """One line: its text without what the log put before it, seconds since the epoch and since the last boot."""

    text: str
    at: float | None = None
    uptime_s: float | None = None


class Record(msgspec.Struct):
    """What of an entry of the journal in JSON is read; its numbers are text, in microseconds."""

    message: str = msgspec.field(name="MESSAGE")
    at_us: str = msgspec.field(name="__REALTIME_TIMESTAMP", default="")
    uptime_us: str = msgspec.field(name="_SOURCE_MONOTONIC_TIMESTAMP", default="")


def parse_lines(log: str, clock: Clock) -> tuple[Line, ...]:
    """Read a log in any mixture of forms (see `head`); what is not known of a line's times is None."""
    plain = COLOUR.sub("", log) if "\x1b" in log else log
    told = list(_timed(plain.replace("\0", "").split("\n"), clock))
    last = _last_boot(told)
    return tuple(
        _complete(line if number >= last else replace(line, uptime_s=None), clock)
        for number, line in enumerate(told)
    )


def _timed(lines: list[str], clock: Clock) -> Iterator[Line]:
    before = Line(text="")
    for raw in lines:
        line = raw[:LONGEST].rstrip("\r ")
        if not line:
            continue
        before = _record(line) or _told(line, parse_head(line, clock), before)
        yield before


def _told(line: str, head: Head, before: Line) -> Line:
    text = line[head.end :]
    if "\\x" in text:
        text = ESCAPE.sub(lambda escape: chr(int(escape[1], 16)), text).replace("\n", " ")
    if head.later_s is not None:
        return Line(text=text, at=None if before.at is None else before.at + head.later_s)
    if head.end == 0 and line[0] in " \t":
        return replace(before, text=line.strip())
    return Line(text=text, at=head.at, uptime_s=head.uptime_s)


def _record(line: str) -> Line | None:
    """Read an entry of the journal in JSON; None when it is none."""
    if not line.startswith("{"):
        return None
    try:
        record = msgspec.json.decode(line, type=Record)
    except msgspec.DecodeError:
        return None
    text = record.message.replace("\n", " ")[:LONGEST]
    return Line(text=text, at=_seconds(record.at_us), uptime_s=_seconds(record.uptime_us))


def _seconds(microseconds: str) -> float | None:
    return int(microseconds) / 1e6 if re.fullmatch(r"[0-9]{1,18}", microseconds) else None


def _last_boot(lines: list[Line]) -> int:
    """Return the number of the line with which the last boot begins."""
    start, latest = 0, 0.0
    for number, line in enumerate(lines):
        if line.text.startswith(BOOT) or (line.uptime_s is not None and line.uptime_s < latest - BACK_S):
            start, latest = number, 0.0
        if line.uptime_s is not None:
            latest = max(latest, line.uptime_s)
    return start


def _complete(line: Line, clock: Clock) -> Line:
    """Tell of the two times the one that follows from the other."""
    if line.at is None and line.uptime_s is not None:
        return replace(line, at=clock.at(line.uptime_s))
    if line.uptime_s is None and line.at is not None:
        return replace(line, uptime_s=clock.uptime_s(line.at))
    return line
