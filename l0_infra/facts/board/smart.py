"""SMART as `smartctl --json` prints it, for ATA, SCSI and NVMe disks.

Its exit code is a mask of what it found, so that no code means failure; `smart_status` is the disk's verdict.
"""

from collections.abc import Iterator

from l0_infra.facts.board.nvme_log import CELSIUS, count, share
from l0_infra.facts.json_value import Json, dig, items, word
from l0_infra.schemas import DiskHealth

__all__ = ["parse_smart"]

REALLOCATED, PENDING = 5, 197
"""Numbers of ATA attributes."""

ENDURANCE_LEFT = ("SSD_Life_Left", "Wear_Leveling", "Media_Wearout_Indicator", "Percent_Lifetime_Remain")
"""ATA attributes whose normalised value falls from 100; versions from 7.5 tell `endurance_used` themselves."""


def parse_smart(value: Json) -> DiskHealth | None:
    """Read one disk's SMART; None when nothing of it could be read (a disk asleep, one without SMART)."""
    nvme = dig(value, "nvme_smart_health_information_log")
    passed = dig(value, "smart_status", "passed")
    found = DiskHealth(
        passed=passed if isinstance(passed, bool) else None,
        critical_warning=_byte(dig(nvme, "critical_warning")),
        wear_percent=_wear(value),
        spare_percent=share(word(dig(nvme, "available_spare"))),
        spare_threshold_percent=share(word(dig(nvme, "available_spare_threshold"))),
        media_errors=_media_errors(value),
        reallocated_sectors=_first(
            _raw(value, REALLOCATED), count(word(dig(value, "scsi_grown_defect_list")))
        ),
        pending_sectors=_raw(value, PENDING),
        temperature_c=_temperature(dig(value, "temperature", "current")),
        powered_on_s=_powered_on(value),
    )
    return found if found != DiskHealth() else None


def _first(*values: int | None) -> int | None:
    return next((value for value in values if value is not None), None)


def _byte(value: Json) -> int | None:
    number = count(word(value))
    return number if number is not None and number < 256 else None


def _attributes(value: Json) -> Iterator[Json]:
    yield from items(dig(value, "ata_smart_attributes", "table"))


def _raw(value: Json, number: int) -> int | None:
    """Read an attribute as `smartctl` words it: the raw number may have other counters packed into it."""
    found = (one for one in _attributes(value) if dig(one, "id") == number)
    return next((count(word(dig(one, "raw", "string")).partition(" ")[0]) for one in found), None)


def _wear(value: Json) -> float | None:
    told = (
        dig(value, "endurance_used", "current_percent"),
        dig(value, "nvme_smart_health_information_log", "percentage_used"),
        dig(value, "scsi_percentage_used_endurance_indicator"),
    )
    known = [used for one in told if (used := share(word(one), most=255)) is not None]
    return known[0] if known else next(_worn(value), None)


def _worn(value: Json) -> Iterator[float]:
    for one in _attributes(value):
        left = share(word(dig(one, "value")))
        if left is not None and word(dig(one, "name")).startswith(ENDURANCE_LEFT):
            yield 100 - left


def _media_errors(value: Json) -> int | None:
    """Read NVMe's count, or add up SCSI's errors that could not be corrected."""
    own = count(word(dig(value, "nvme_smart_health_information_log", "media_errors")))
    pages = (dig(value, "scsi_error_counter_log", page) for page in ("read", "write", "verify"))
    counts = [count(word(dig(page, "total_uncorrected_errors"))) for page in pages if page is not None]
    known = [number for number in counts if number is not None]
    return own if own is not None or not known else sum(known)


def _temperature(value: Json) -> float | None:
    if isinstance(value, int) and not isinstance(value, bool) and value in CELSIUS:
        return float(value)
    return None


def _powered_on(value: Json) -> float | None:
    hours = count(word(dig(value, "power_on_time", "hours")))
    minutes = count(word(dig(value, "power_on_time", "minutes"))) or 0
    return None if hours is None else hours * 3600.0 + minutes * 60.0
