"""What daemons that keep the clock say; each counts an offset its own way, here positive is always ahead.

chrony's correction and an NTP offset are what must be added: positive when the clock is behind (chrony's client.c
prints it as `slow`; RFC 5905, section 8). PTP's offset from the master is positive when the clock is ahead
(IEEE 1588-2019, 11.2).
"""

import re
from dataclasses import dataclass

from l0_infra.facts.tree import settings

__all__ = ["CHRONY_AWAY", "Keeper", "parse_chrony", "parse_ntpq", "parse_pmc", "parse_timesync"]

CHRONY_AWAY = "506 Cannot talk to daemon"
UNITS_S = {
    "us": 1e-6, "µs": 1e-6, "μs": 1e-6, "ms": 1e-3, "s": 1.0, "min": 60.0, "h": 3600.0, "d": 86400.0, "w": 604800.0,
}  # fmt: skip
SPAN = re.compile(r"([0-9]{1,12}(?:\.[0-9]{1,9})?)(us|µs|μs|ms|min|s|h|d|w)")
NUMBER = re.compile(r"[+-]?[0-9]{1,12}(?:\.[0-9]{1,12})?(?:e[+-]?[0-9]{1,2})?")


@dataclass(frozen=True, kw_only=True, slots=True)
class Keeper:
    """A daemon that keeps the clock; `offset_s` is positive when the clock is ahead."""

    service: str
    source: str | None = None
    synchronised: bool | None = None
    offset_s: float | None = None


def parse_chrony(text: str) -> Keeper | None:
    """Read `chronyc tracking`, with `-c` or without; None when chrony does not answer."""
    rows = [line.strip().split(",") for line in text.split("\n")]
    row = next((row for row in rows if len(row) == 14 and re.fullmatch("[0-9A-F]{8}", row[0])), None)
    if row:
        correction = _number(row[4])
        return _chrony(row[1], row[13], None if correction is None else -correction)
    told = settings(tuple(text.split("\n")), ":")
    if "Reference ID" not in told:
        return None
    match = re.fullmatch(r"([0-9.]{1,30}) seconds (fast|slow) of NTP time", told.get("System time", ""))
    seconds = _number(match[1]) if match else None
    ahead = seconds if not match or match[2] == "fast" or seconds is None else -seconds
    name = re.search(r"\(([^)]*)\)", told["Reference ID"])
    return _chrony(name[1] if name else "", told.get("Leap status", ""), ahead)


def parse_ntpq(text: str) -> Keeper | None:
    """Read `ntpq -p`: `*` or `o` marks the peer it follows, its offset is in milliseconds."""
    if not re.search(r"^[ \t]*remote[ \t]+refid[ \t]+st[ \t]", text, re.M):
        return None
    rows = [line.split() for line in text.split("\n") if line[:1] in ("*", "o")]
    row = next((row for row in rows if len(row) == 10), None)
    offset = _number(row[8]) if row else None
    return Keeper(
        service="ntpd",
        source=row[0][1:] or None if row else None,
        synchronised=row is not None,
        offset_s=None if offset is None else -offset / 1000,
    )


def parse_timesync(text: str) -> Keeper | None:
    """Read `timedatectl timesync-status`, which is silent on whether it is synchronised; None when it does not run."""
    told = settings(tuple(text.split("\n")), ":")
    server = re.fullmatch(r"(\S+) \((.*)\)", told.get("Server", ""))
    if not server or server[1] in ("n/a", "(null)"):
        return None
    offset = _span_s(told.get("Offset", ""))
    name = server[2] if server[2] not in ("", "n/a", "(null)") else server[1]
    return Keeper(service="systemd-timesyncd", source=name, offset_s=None if offset is None else -offset)


def parse_pmc(text: str) -> Keeper | None:
    """Read `pmc 'GET TIME_STATUS_NP'`, whose first block is this machine's; None where it follows no other clock."""
    block = re.split(r"^[ \t]*\S{1,40} seq [0-9]+ RESPONSE MANAGEMENT TIME_STATUS_NP", text, flags=re.M)[1:2]
    told = dict(line.split(None, 1) for part in block for line in part.split("\n") if len(line.split()) == 2)
    if told.get("gmPresent", "").strip() != "true":
        return None
    offset = _number(told.get("master_offset", ""))
    return Keeper(
        service="ptp",
        synchronised=True,
        source=told.get("gmIdentity", "").strip() or None,
        offset_s=None if offset is None else offset / 1e9,
    )


def _chrony(source: str, leap: str, ahead: float | None) -> Keeper:
    known = leap.strip().lower()
    synchronised = {"not synchronised": False, "normal": True, "insert second": True, "delete second": True}
    state = synchronised.get(known)
    return Keeper(
        service="chrony",
        source=source.strip() or None,
        synchronised=state,
        offset_s=ahead if state else None,
    )


def _number(word: str) -> float | None:
    bare = word.strip()
    return float(bare) if NUMBER.fullmatch(bare) else None


def _span_s(text: str) -> float | None:
    """Read a time as systemd writes it, `+1min 2.5s`; None when it is none."""
    sign, bare = text[:1], text[1:]
    if sign not in ("+", "-") or not re.fullmatch(rf"{SPAN.pattern}(?: {SPAN.pattern}){{0,5}}", bare):
        return None
    seconds = sum(float(amount) * UNITS_S[unit] for amount, unit in SPAN.findall(bare))
    return seconds if sign == "+" else -seconds
