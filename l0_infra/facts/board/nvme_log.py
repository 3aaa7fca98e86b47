"""The health log of an NVMe disk (NVM Express Base Specification 2.0, figure 207) as `nvme smart-log` prints it.

Its JSON has temperatures in Kelvin, and numbers as numbers or, in versions 2.1 to 2.4, as text; `-v` makes an object
of the critical warning. Its text has units that follow the locale: `34 C`, `34 °C (307 K)`, `93 °F (307 K)`.
A disk without a critical warning has passed, as `smartctl` has it.
"""

import re
from collections.abc import Mapping

from l0_infra.facts.json_value import Json, word
from l0_infra.facts.tree import integer, settings
from l0_infra.schemas import DiskHealth

__all__ = ["CELSIUS", "count", "parse_nvme_json", "parse_nvme_text", "share"]

NAMES = {
    "avail_spare": "available_spare",
    "spare_thresh": "available_spare_threshold",
    "percent_used": "percentage_used",
}
"""Names in JSON that differ from those in text."""

KELVIN_FROM = 200
"""No disk is at 200 degrees Celsius, none at 200 Kelvin."""

CELSIUS = range(-60, KELVIN_FROM)
"""What a disk can be at; another number is none."""


def parse_nvme_json(value: Json) -> DiskHealth | None:
    """Read the JSON of one disk; None when it is no health log."""
    if not isinstance(value, Mapping):
        return None
    told = {NAMES.get(key.lower(), key.lower()): _plain(one) for key, one in value.items()}
    kelvin = count(told.get("temperature", ""))
    celsius = kelvin - 273 if kelvin and kelvin >= KELVIN_FROM else kelvin or None
    return _health(told, celsius)


def parse_nvme_text(text: str) -> DiskHealth | None:
    """Read the text of one disk; None when it is no health log."""
    told = {key.lower(): value for key, value in settings(tuple(text.split("\n")), ":").items()}
    return _health(told, _celsius(told.get("temperature", "")))


def count(text: str) -> int | None:
    """Read a whole number, also hexadecimal, with separators of thousands, or as a float prints it."""
    bare = text.strip().removesuffix(".0")
    if re.fullmatch(r"0x[0-9a-f]{1,8}", bare):
        return int(bare, 16)
    if re.fullmatch(r"[0-9]{1,3}(?:[,.' \u00a0\u202f][0-9]{3}){1,5}", bare):
        bare = re.sub(r"\D", "", bare)
    return integer(bare)


def share(text: str, most: int = 100) -> float | None:
    """Read a percentage."""
    value = count(text.strip().removesuffix("%"))
    return float(value) if value is not None and value <= most else None


def _plain(value: Json) -> str:
    if isinstance(value, Mapping):
        return word(value.get("value", value.get("Value")))
    return word(value)


def _health(told: Mapping[str, str], celsius: int | None) -> DiskHealth | None:
    if not {"critical_warning", "percentage_used"} & told.keys():
        return None
    hours = count(told.get("power_on_hours", ""))
    warning = _byte(count(told.get("critical_warning", "")))
    return DiskHealth(
        passed=None if warning is None else not warning,
        critical_warning=warning,
        wear_percent=share(told.get("percentage_used", ""), most=255),
        spare_percent=share(told.get("available_spare", "")),
        spare_threshold_percent=share(told.get("available_spare_threshold", "")),
        media_errors=count(told.get("media_errors", "")),
        temperature_c=float(celsius) if celsius is not None and celsius in CELSIUS else None,
        powered_on_s=None if hours is None else hours * 3600.0,
    )


def _byte(number: int | None) -> int | None:
    return number if number is not None and number < 256 else None


def _celsius(text: str) -> int | None:
    """Prefer Kelvin, which no locale changes; 0 Kelvin means that the disk does not tell."""
    kelvin = re.search(r"\(([0-9]{1,3}) K(?:elvin)?\b", text)
    if kelvin:
        return int(kelvin[1]) - 273 if int(kelvin[1]) else None
    celsius = re.fullmatch(r"(-?[0-9]{1,3}) ?(?:°|º)?(?:C|Celsius)", text.strip())
    return int(celsius[1]) if celsius else None
