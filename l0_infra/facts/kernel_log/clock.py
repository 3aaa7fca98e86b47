"""When a node was booted and how its clock stands, so that a log's times can be told in one way."""

import re
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta, timezone
from functools import lru_cache

from l0_infra.facts.bundle import Source

__all__ = ["BOOT_TIME", "Clock", "epoch_of", "parse_clock"]

BOOT_TIME = Source(
    name="boot-time.txt",
    program="grep",
    quick=True,
    command="grep -h '^btime ' /proc/stat; cat /proc/uptime;"
    " if [ /etc/localtime -ef /usr/share/zoneinfo/UTC ]; then echo +0000; else date +%z; fi",
)
DAY_S = 86400
MONTHS = ("Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec")


@dataclass(frozen=True, kw_only=True, slots=True)
class Clock:
    """A node's clock: seconds since the epoch at boot and when it was asked, and its distance from UTC.

    `now` is when the log is read, which may be long after it was asked for.
    """

    booted_at: float | None = None
    asked_at: float | None = None
    now: float
    zone_s: int = 0

    @property
    def latest(self) -> float:
        """The time after which the log tells of nothing."""
        return self.now if self.asked_at is None else self.asked_at

    def at(self, uptime_s: float | None) -> float | None:
        """Return the time at so many seconds after boot; None when the boot's is not known."""
        return None if uptime_s is None or self.booted_at is None else self.booted_at + uptime_s

    def uptime_s(self, at: float | None) -> float | None:
        """Return the seconds since boot at a time; None before it, or when the boot's is not known."""
        if at is None or self.booted_at is None or at < self.booted_at:
            return None
        return round(at - self.booted_at, 6)


def parse_clock(out: str, now: float) -> Clock:
    """Read what BOOT_TIME printed."""
    booted = re.search(r"^btime (\d{1,11})\s*$", out, re.M)
    uptime = re.search(r"^(\d{1,10}\.\d{1,3}) \d+\.\d+\s*$", out, re.M)
    booted_at = float(booted[1]) if booted else None
    asked_at = None if booted_at is None or uptime is None else booted_at + float(uptime[1])
    return Clock(booted_at=booted_at, asked_at=asked_at, now=now, zone_s=zone_s(out) or 0)


def zone_s(text: str) -> int | None:
    """Read a distance from UTC (`+0200`, `-05:30`, `Z`) that stands in a line of its own."""
    match = re.search(r"^(?:Z|([+-])(\d\d):?([0-5]\d))\s*$", text, re.M)
    if match is None:
        return None
    distance = int(match[2] or 0) * 3600 + int(match[3] or 0) * 60
    return -distance if match[1] == "-" else distance


def epoch_of(year: int, moment: tuple[str, ...], zone: str | None, clock: Clock) -> float | None:
    """Return seconds since the epoch of month (a number or `Mar`), day, hour, minute and second as they are written.

    Year 0 is one that is not told: it is the one that makes this the latest time that is past. Without a zone the
    time is the node's own. None: there is no such time.
    """
    distance = None if zone is None else zone_s(zone)
    own = clock.zone_s if distance is None else distance
    if year:
        return _epoch(year, moment, own)
    this = datetime.fromtimestamp(clock.latest, UTC).year
    told = (_epoch(this + 1 - back, moment, own) for back in range(6))
    return next((at for at in told if at is not None and at <= clock.latest + DAY_S), None)


@lru_cache(maxsize=256)
def _epoch(year: int, moment: tuple[str, ...], zone: int) -> float | None:
    month, day, hour, minute, second = moment
    try:
        number = MONTHS.index(month) + 1 if month in MONTHS else int(month)
        where = timezone(timedelta(seconds=zone))
        when = datetime(year, number, int(day), int(hour), int(minute), int(second), tzinfo=where)
        return when.timestamp() if year >= 1970 else None
    except (ValueError, OverflowError):
        return None
