"""Sizes, durations and counts as people write them, the first two also turned into bytes and seconds."""

import re
from decimal import Decimal

from l0_infra.core.errors import UsageError

__all__ = ["format_bytes", "format_count", "format_duration", "parse_bytes", "parse_duration"]

_BINARY = {"KiB": 2**10, "MiB": 2**20, "GiB": 2**30, "TiB": 2**40, "PiB": 2**50, "EiB": 2**60}
_DECIMAL = {"kB": 10**3, "MB": 10**6, "GB": 10**9, "TB": 10**12, "PB": 10**15, "EB": 10**18}
_BYTE_UNITS = {name.lower(): factor for name, factor in (_BINARY | _DECIMAL).items()} | {"b": 1, "": 1}
_SECONDS = {"d": "86400", "h": "3600", "m": "60", "min": "60", "s": "1", "ms": "0.001"}
_SECOND_UNITS = {unit: Decimal(size) for unit, size in _SECONDS.items()}

_QUANTITY = re.compile(r"([0-9]{1,20}(?:\.[0-9]{1,20})?) ?([A-Za-z]*)", re.ASCII)
_BARE_LETTER = re.compile(r"[0-9.]+ ?[KMGTPE]", re.ASCII)
_DURATION = re.compile(r"(?:[0-9]{1,15}(?:\.[0-9]{1,9})?(?:d|h|min|ms|m|s) ?)+", re.ASCII)
_DURATION_TERM = re.compile(r"([0-9.]+)(d|h|min|ms|m|s)", re.ASCII)
_PLAIN_SECONDS = re.compile(r"[0-9]{1,15}(?:\.[0-9]{1,9})?", re.ASCII)
_CLOCK = re.compile(r"(?:([0-9]{1,9})-)?([0-9]{1,9}):([0-5][0-9]):([0-5][0-9])", re.ASCII)
_DAYS = re.compile(r"([0-9]{1,9})-([0-9]{1,2})(?::([0-5][0-9]))?", re.ASCII)


def parse_bytes(text: str, *, where: str = "size") -> int:
    """Read `64 GiB`, `64GB`, `1.5 TiB` or `4096` as bytes; raise UsageError naming `where` for anything else.

    `GiB` counts in 1024s and `GB` in 1000s; letter case does not matter, a bare `G` is refused as ambiguous.
    """
    match = _QUANTITY.fullmatch(text.strip())
    factor = _BYTE_UNITS.get(match[2].lower()) if match else None
    if match is None or factor is None:
        raise _bad_bytes(text, where)
    if factor == 1 and "." in match[1]:
        raise _bad_bytes(text, where)
    return round(Decimal(match[1]) * factor)


def format_bytes(size: int) -> str:
    """Write bytes in the largest binary unit they fill, three significant digits: `64 GiB`, `1.5 TiB`."""
    name, factor = "B", 1
    for unit, bytes_in_unit in _BINARY.items():
        if size >= bytes_in_unit:
            name, factor = unit, bytes_in_unit
    value = size / factor
    return f"{value:.0f} {name}" if value >= 100 else f"{value:.3g} {name}"


def format_count(number: int, noun: str) -> str:
    """Write how many there are of what `noun` names: `1 CPU`, `2 CPUs`, `0 CPUs`."""
    return f"{number} {noun}" if number == 1 else f"{number} {noun}s"


def parse_duration(text: str, *, where: str = "duration") -> float:
    """Read `2h30m`, `90s`, `45` (seconds) or Slurm's `1-12:00:00`, `1-12`, `02:00:00` as seconds.

    Slurm's `MM:SS` is refused, because half of its readers take it for hours and minutes. Raises UsageError
    naming `where`.
    """
    stripped = text.strip()
    if _PLAIN_SECONDS.fullmatch(stripped):
        return float(stripped)
    if _DURATION.fullmatch(stripped):
        return _sum_terms(stripped)
    if match := _CLOCK.fullmatch(stripped) or _DAYS.fullmatch(stripped):
        days, hours, minutes, seconds = (int(part or 0) for part in (*match.groups(), 0)[:4])
        return float(days * 86400 + hours * 3600 + minutes * 60 + seconds)
    raise _bad_duration(stripped, where)


def format_duration(seconds: float) -> str:
    """Write seconds as `1d12h`, `2h30m`, `90.5s`-like terms, rounded to the millisecond; zero is `0s`."""
    milliseconds = round(seconds * 1000)
    terms = []
    for unit, size in (("d", 86_400_000), ("h", 3_600_000), ("m", 60_000)):
        count, milliseconds = divmod(milliseconds, size)
        if count:
            terms.append(f"{count}{unit}")
    if milliseconds or not terms:
        terms.append(f"{Decimal(milliseconds) / 1000}s")
    return "".join(terms)


def _sum_terms(text: str) -> float:
    terms = (Decimal(count) * _SECOND_UNITS[unit] for count, unit in _DURATION_TERM.findall(text))
    return float(sum(terms, Decimal(0)))


def _bad_bytes(text: str, where: str) -> UsageError:
    return UsageError(
        where,
        found=f"`{text}`",
        expected="a whole number of bytes, with or without a unit: `4096`, `64 GiB`, `1.5 TB`",
        hint=f"write `{text.strip()}iB` (1024s) or `{text.strip()}B` (1000s)"
        if _BARE_LETTER.fullmatch(text.strip())
        else "units are B, KiB to EiB (1024s) and kB to EB (1000s)",
    )


def _bad_duration(text: str, where: str) -> UsageError:
    two_part = re.fullmatch(r"[0-9]+:[0-9]+", text)
    return UsageError(
        where,
        found=f"`{text}`",
        expected="seconds or a duration such as `90s`, `2h30m`, `1-12:00:00`, `02:00:00`",
        hint=f"write `0:{text}` or `{text}:00`, whichever is meant" if two_part else "",
    )
