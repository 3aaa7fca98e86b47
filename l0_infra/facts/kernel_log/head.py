"""The head of a log's line, in every form that `dmesg`, the journal and syslog write: when, and where the text begins.

[  812.440113]   [  812.440113][ T1204]   [  812.440113 <    0.000307>]      dmesg, with callers, -d
<6>[  812.440113]   kern  :info  : [  812.440113]                             dmesg -r, -x
[Mon Mar  3 09:12:45 2025]                                                    dmesg -T
[Mar 3 09:12], then [  +0.000307]                                             dmesg -H
2025-03-03T09:12:45,123456+00:00                                              dmesg --time-format iso
6,1234,812440113,-;                                                           /dev/kmsg
Mar  3 09:12:45 node kernel:   Mar  3 09:12:45.123456 node kernel:            journalctl -o short, short-precise
Mar  3 09:12:45 node kernel: [  812.440113]                                   syslog
2025-03-03T09:12:45+0000 node kernel:                                         journalctl -o short-iso
Mon 2025-03-03 09:12:45 UTC node kernel:   1740993165.123456 node kernel:     journalctl -o short-full, short-unix
[  812.440113] node kernel:                                                   journalctl -o short-monotonic
"""

import re
from dataclasses import dataclass

from l0_infra.facts.kernel_log.clock import Clock, epoch_of

__all__ = ["Head", "parse_head"]


@dataclass(frozen=True, kw_only=True, slots=True)
class Head:
    """What a head tells: seconds since the epoch, since boot, since the line before; and where the text begins."""

    at: float | None = None
    uptime_s: float | None = None
    later_s: float | None = None
    end: int


CLOCK = r"(\d\d):(\d\d):(\d\d)"
FRACTION = r"(?:[.,](\d{1,9}))?"
LEVEL = re.compile(r"<\d{1,3}>|[a-z]{1,8}\d? *:[a-z]{1,6} *: ")
UPTIME = re.compile(r"\[ {0,10}(\d{1,10}\.\d{1,9})(?: <[ \d.]{1,24}>)?\] ?(?:\[ {0,10}[TC]\d{1,9}\] ?)?")
LATER = re.compile(r"\[ {0,10}\+(\d{1,10}\.\d{1,9})\] ?")
LONG = re.compile(rf"\[[A-Z][a-z]{{2}} ([A-Z][a-z]{{2}}) {{1,2}}(\d{{1,2}}) {CLOCK} (\d{{4}})\] ?")
FOREIGN = re.compile(rf"\[\S{{1,12}} \S{{1,12}} {{1,2}}\d{{1,2}} {CLOCK} \d{{4}}\] ?")
"""`dmesg -T` of another language: its month is not known here, so neither is the time."""

MINUTE = re.compile(r"\[([A-Z][a-z]{2}) {0,2}(\d{1,2}) (\d\d):(\d\d)\] ?")
ISO = re.compile(rf"(\d{{4}})-(\d\d)-(\d\d)[T ]{CLOCK}{FRACTION}(Z|[+-]\d\d:?\d\d)? ")
FULL = re.compile(rf"[A-Z][a-z]{{2}} (\d{{4}})-(\d\d)-(\d\d) {CLOCK}{FRACTION} (\S{{1,6}}) ")
UNIX = re.compile(r"(\d{9,11}\.\d{1,9}) ")
SYSLOG = re.compile(rf"([A-Z][a-z]{{2}}) {{1,2}}(\d{{1,2}}) {CLOCK}{FRACTION} ")
KMSG = re.compile(r"\d{1,4},\d{1,20},(\d{1,18}),[^;\s]{1,80};")
SENDER = re.compile(r"\S{1,255} kernel: ")
HOST = re.compile(r"\S{1,255} (?=\S{1,64}: )")


def parse_head(line: str, clock: Clock) -> Head:
    """Read the head of a line; one of another language tells no time, and where there is none all is text."""
    level = LEVEL.match(line)
    start = level.end() if level else 0
    first = line[start : start + 1]
    head = _bracket(line, start, clock) if first == "[" else _bare(line, start, clock)
    return head or Head(end=start)


def _bracket(line: str, start: int, clock: Clock) -> Head | None:
    if found := UPTIME.match(line, start):
        return Head(uptime_s=float(found[1]), end=_after(SENDER, line, found.end()))
    if found := LONG.match(line, start):
        at = epoch_of(int(found[6]), found.groups()[:5], None, clock)
        return Head(at=at, end=_after(SENDER, line, found.end()))
    if found := FOREIGN.match(line, start):
        return Head(end=_after(SENDER, line, found.end()))
    if found := LATER.match(line, start):
        return Head(later_s=float(found[1]), end=found.end())
    if found := MINUTE.match(line, start):
        at = epoch_of(0, (*found.groups(), "0"), None, clock)
        return Head(at=at, end=found.end())
    return None


def _bare(line: str, start: int, clock: Clock) -> Head | None:
    if found := KMSG.match(line, start):
        return Head(uptime_s=int(found[1]) / 1e6, end=found.end())
    if found := ISO.match(line, start) or FULL.match(line, start):
        zone = "Z" if found[8] in ("UTC", "GMT") else found[8]
        at = epoch_of(int(found[1]), found.groups()[1:6], zone, clock)
        return _sent(line, found.end(), at, found[7], named="," not in found[0])
    if found := SYSLOG.match(line, start):
        return _sent(line, found.end(), epoch_of(0, found.groups()[:5], None, clock), found[6])
    if found := UNIX.match(line, start):
        return _sent(line, found.end(), float(found[1]), None)
    return None


def _sent(line: str, end: int, at: float | None, fraction: str | None, *, named: bool = True) -> Head:
    """Go on behind the names of host and kernel, to the kernel's own time where that is written too."""
    if at is not None and fraction:
        at += float(f"0.{fraction}")
    end = _after(SENDER, line, end) if SENDER.match(line, end) else _after(HOST, line, end) if named else end
    own = UPTIME.match(line, end)
    return Head(at=at, uptime_s=float(own[1]) if own else None, end=own.end() if own else end)


def _after(pattern: re.Pattern[str], line: str, end: int) -> int:
    found = pattern.match(line, end)
    return found.end() if found else end
