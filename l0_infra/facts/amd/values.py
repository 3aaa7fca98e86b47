"""Values of `amd-smi`: with their unit beside them, within their text, or without any."""

import re
from collections.abc import Mapping

from l0_infra.facts.json_value import Json, dig, size_bytes, word
from l0_infra.facts.quantity import celsius, hertz, measured

__all__ = ["any_of", "degrees", "enabled", "megabytes", "rate_hz", "watts"]

MIB = 2**20


def any_of(value: Json, *paths: str) -> Json:
    """Return what stands at the first of some paths (`power.socket_power`) that leads to something told."""
    for path in paths:
        found = dig(value, *path.split("."))
        if found is not None and word(found) not in ("N/A", "NA") and found != "N/A":
            return found
    return None


def megabytes(value: Json) -> int | None:
    """Read a size; the tool counts in MiB where it writes no unit."""
    if re.fullmatch(r"[0-9]{1,12}", word(value)) and not word(dig(value, "unit")):
        return int(word(value)) * MIB
    return size_bytes(value)


def watts(value: Json) -> float | None:
    """Read a power in watts."""
    return measured(_bare(value, "W"))


def degrees(value: Json) -> float | None:
    """Read a temperature in degrees Celsius."""
    return celsius(_bare(value, "°C", "C"))


def rate_hz(value: Json) -> int | None:
    """Read a clock rate, which the tool writes in MHz."""
    return hertz(_bare(value, "MHz"))


def enabled(value: Json) -> bool | None:
    """Read ENABLED or DISABLED."""
    return {"ENABLED": True, "DISABLED": False}.get(word(value).upper())


def _bare(value: Json, *units: str) -> str:
    """Take the unit off; nothing is left of a value with another one."""
    if isinstance(value, Mapping):
        unit = word(dig(value, "unit")).strip()
        return word(value) if not unit or unit in units else ""
    text = word(value).strip()
    for unit in units:
        text = text.removesuffix(unit)
    return text.strip()
