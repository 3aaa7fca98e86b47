"""The memory of one GPU: its error correction, and what of it was taken out of use."""

from collections.abc import Iterable
from xml.etree.ElementTree import Element

from l0_infra.facts.nvidia.words import count, flag, known, said, text_at
from l0_infra.schemas import Ecc, MemoryRepair

__all__ = ["parse_ecc", "parse_repair"]

CORRECTED = ("sram_correctable", "dram_correctable")
UNCORRECTED = (
    "sram_uncorrectable",
    "sram_uncorrectable_parity",
    "sram_uncorrectable_secded",
    "dram_uncorrectable",
)
UNITS = {"l2": "l2", "sm": "sm", "microcontroller": "microcontroller", "pcie": "pcie", "other": "other"}


def parse_ecc(gpu: Element) -> Ecc:
    """Read error correction; versions before v11 count by the number of bits, later ones by the kind of memory."""
    return Ecc(
        enabled=flag(said(gpu, "ecc_mode/current_ecc")),
        pending=flag(said(gpu, "ecc_mode/pending_ecc")),
        corrected_volatile=_sum(gpu, "volatile", CORRECTED, "single_bit"),
        uncorrected_volatile=_sum(gpu, "volatile", UNCORRECTED, "double_bit"),
        corrected_aggregate=_sum(gpu, "aggregate", CORRECTED, "single_bit"),
        uncorrected_aggregate=_sum(gpu, "aggregate", UNCORRECTED, "double_bit"),
        sram_threshold_exceeded=flag(said(gpu, "ecc_errors/aggregate/sram_threshold_exceeded")),
        uncorrected_sram_in=_units(gpu),
    )


def parse_repair(gpu: Element) -> MemoryRepair:
    """Read retired pages (before Ampere), remapped rows and banks, and repairs that wait for a reset."""
    pages, rows, ecc = "retired_pages", "remapped_rows", "ecc_errors"
    none_left = f"{rows}/row_remapper_histogram/row_remapper_histogram_none"
    return MemoryRepair(
        retired_pages_corrected=count(said(gpu, f"{pages}/multiple_single_bit_retirement/retired_count")),
        retired_pages_uncorrected=count(said(gpu, f"{pages}/double_bit_retirement/retired_count")),
        retirement_pending=_any(gpu, f"{pages}/pending_retirement", f"{pages}/pending_blacklist"),
        remapped_rows_corrected=count(said(gpu, f"{rows}/remapped_row_corr")),
        remapped_rows_uncorrected=count(said(gpu, f"{rows}/remapped_row_unc")),
        remapping_pending=_any(gpu, f"{rows}/remapped_row_pending", "remapped_banks/bank_remapper_pending"),
        remapping_failed=flag(said(gpu, f"{rows}/remapped_row_failure")),
        banks_without_spare=count(said(gpu, none_left), "bank(s)"),
        repair_pending=_any(gpu, f"{ecc}/channel_repair_pending", f"{ecc}/tpc_repair_pending"),
        unrepairable=flag(said(gpu, f"{ecc}/unrepairable_memory")),
    )


def _sum(gpu: Element, since: str, kinds: Iterable[str], bits: str) -> int | None:
    """Add what is counted by kind of memory; one that is neither counted nor absent makes the sum unknown."""
    if (total := said(gpu, f"ecc_errors/{since}/{bits}/total")) is not None:
        return count(total)
    told = (text_at(gpu, f"ecc_errors/{since}/{kind}") for kind in kinds)
    words = ["N/A" if word is None else word.strip() for word in told]
    counts = [count(known(word)) for word in words if word != "N/A"]
    whole = [number for number in counts if number is not None]
    return sum(whole) if whole and len(whole) == len(counts) else None


def _units(gpu: Element) -> tuple[str, ...] | None:
    told = {
        unit: count(said(gpu, f"ecc_errors/aggregate_uncorrectable_sram_sources/sram_{unit}"))
        for unit in UNITS
    }
    counted = {unit: number for unit, number in told.items() if number is not None}
    return tuple(unit for unit, number in counted.items() if number) if counted else None


def _any(gpu: Element, *paths: str) -> bool | None:
    """Return whether any of several things is so; None when no one tells."""
    told = [value for path in paths if (value := flag(said(gpu, path))) is not None]
    return any(told) if told else None
