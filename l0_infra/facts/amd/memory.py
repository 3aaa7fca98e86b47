"""The errors of an AMD GPU's memory, and its pages that are out of use."""

from collections.abc import Mapping

from l0_infra.facts.amd.documents import Entry
from l0_infra.facts.amd.values import any_of, enabled
from l0_infra.facts.json_value import Json, dig, items, keys, word
from l0_infra.facts.quantity import told, total
from l0_infra.facts.tree import integer
from l0_infra.schemas import Ecc, MemoryRepair

__all__ = ["ecc", "memory_repair"]


def ecc(entry: Entry) -> Ecc | None:
    """Read the total of all blocks, or add the blocks up; the driver counts since it was loaded."""
    counts, blocks = dig(entry, "ecc"), dig(entry, "ecc_blocks")
    told_blocks = [dig(blocks, name) for name in keys(blocks)]
    return told(
        Ecc(
            enabled=enabled(any_of(entry, "ras.ecc_block_state.UMC")),
            corrected_volatile=_errors(counts, told_blocks, "correctable"),
            uncorrected_volatile=_errors(counts, told_blocks, "uncorrectable"),
        )
    )


def memory_repair(entry: Entry) -> MemoryRepair | None:
    """Count retired pages: an error that cannot be corrected retires one; pending ones wait for a reset."""
    pending = _pages(dig(entry, "pending"))
    return told(
        MemoryRepair(
            retired_pages_uncorrected=_pages(dig(entry, "retired")),
            retirement_pending=None if pending is None else pending > 0,
        )
    )


def _errors(counts: Json, blocks: list[Json], kind: str) -> int | None:
    whole = integer(word(any_of(counts, f"total_{kind}_count", f"total_{kind}", f"{kind}_count", kind)))
    return total(*(word(dig(block, f"{kind}_count")) for block in blocks)) if whole is None else whole


def _pages(value: Json) -> int | None:
    """Count pages: a list of them, a single one without a list, or words that there are none."""
    if isinstance(value, str):
        return 0 if value.lower().startswith("no bad pages") else None
    if isinstance(value, Mapping):
        return 1
    return None if value is None else len(items(value))
