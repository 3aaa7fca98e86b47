"""How an NPU chip does, by the labels of `npu-smi`'s queries; the table speaks first where both tell."""

from l0_infra.facts.ascend.queries import Fields
from l0_infra.facts.ascend.table import Chip
from l0_infra.facts.quantity import celsius, hertz, measured, told, total
from l0_infra.facts.vendor import text
from l0_infra.schemas import Clocks, Condition, Ecc, MemoryRepair

__all__ = ["clocks", "condition", "ecc", "memory_repair"]

MEMORIES = ("HBM", "DDR")


def condition(chip: Chip | None, fields: Fields) -> Condition | None:
    """Put together health, error codes, temperatures and power."""
    shown = (chip.health, chip.power, chip.temperature) if chip else ("", "", "")
    health, power, temperature = shown
    return told(
        Condition(
            health=text(health) or _first(fields, "Health Status", "Health"),
            error_codes=_error_codes(fields),
            temperature_c=_or(
                celsius(temperature), celsius(_any(fields, "Temperature(C)", "NPU Temperature (C)"))
            ),
            memory_temperature_c=celsius(fields.get("HBM Temperature(C)", "")),
            power_w=_or(
                measured(power), measured(_any(fields, "NPU Real-time Power(W)", "Power Dissipation(W)"))
            ),
        )
    )


def clocks(fields: Fields) -> Clocks | None:
    """Read the clock now, the rated one, and that of the memory."""
    memory = [hertz(fields.get(f"{one} Clock Speed(MHz)", "")) for one in MEMORIES]
    return told(
        Clocks(
            core_hz=hertz(fields.get("Aicore curFreq(MHZ)", "")),
            core_max_hz=hertz(fields.get("Aicore Freq(MHZ)", "")),
            memory_hz=next((rate for rate in memory if rate), None),
        )
    )


def ecc(fields: Fields) -> Ecc | None:
    """Add up the errors of both kinds of memory; the tool's current counts begin with the driver."""
    return told(
        Ecc(
            enabled=_enabled(fields),
            corrected_volatile=_sum(fields, "Single Bit Error Count"),
            uncorrected_volatile=_sum(fields, "Double Bit Error Count"),
            corrected_aggregate=_sum(fields, "Single Bit Aggregate Total Err Cnt"),
            uncorrected_aggregate=_sum(fields, "Double Bit Aggregate Total Err Cnt"),
        )
    )


def memory_repair(fields: Fields) -> MemoryRepair | None:
    """Count isolated pages; those to be isolated next wait for a reset."""
    pending = _sum(
        fields,
        *("Single Bit Next-Isolated Pages Count", "Double Bit Next-Isolated Pages Count"),
        "Pending Retire Page Count",
    )
    return told(
        MemoryRepair(
            retired_pages_corrected=_sum(fields, "Single Bit Isolated Pages Count"),
            retired_pages_uncorrected=_sum(fields, "Double Bit Isolated Pages Count"),
            retirement_pending=None if pending is None else pending > 0,
        )
    )


def _error_codes(fields: Fields) -> tuple[str, ...] | None:
    """Read `Error Code`: hexadecimal words, or NA for none."""
    codes = fields.get("Error Code")
    if codes is None:
        return None
    return () if text(codes) is None else tuple(codes.split())


def _enabled(fields: Fields) -> bool | None:
    states = [fields.get(f"{one}ECC-Enable Status") for one in ("HBM ", "DDR ", "")]
    known = [state for state in states if state in ("True", "False")]
    return "False" not in known if known else None


def _sum(fields: Fields, *labels: str) -> int | None:
    return total(*(fields.get(f"{one} {label}") for one in MEMORIES for label in labels))


def _any(fields: Fields, *labels: str) -> str:
    return next((fields[label] for label in labels if label in fields), "")


def _first(fields: Fields, *labels: str) -> str | None:
    return text(_any(fields, *labels))


def _or(first: float | None, second: float | None) -> float | None:
    return second if first is None else first
