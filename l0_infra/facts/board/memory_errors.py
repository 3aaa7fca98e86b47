"""Errors of main memory that the kernel's driver for its controllers counted (EDAC)."""

import re

from l0_infra.facts.bundle import Source
from l0_infra.facts.tree import Tree, integer, text_at
from l0_infra.schemas import MemoryErrors

__all__ = ["EDAC", "parse_memory_errors"]

PLACE = "/sys/devices/system/edac/mc"

EDAC = Source(
    name="edac.txt",
    program="grep",
    quick=True,
    command=f"grep -Hs '' {PLACE}/mc*/ce_count {PLACE}/mc*/ue_count"
    f" {PLACE}/mc*/dimm*/dimm_?e_count {PLACE}/mc*/dimm*/dimm_label; true",
)


def parse_memory_errors(tree: Tree) -> MemoryErrors:
    """Add up the controllers; None where no controller has a driver, or one of them does not tell."""
    return MemoryErrors(
        corrected=_total(tree, "ce_count"), uncorrected=_total(tree, "ue_count"), modules=_modules(tree)
    )


def _total(tree: Tree, name: str) -> int | None:
    paths = [path for path in tree if re.fullmatch(rf"{PLACE}/mc[0-9]+/{name}", path)]
    counts = [integer(text_at(tree, path)) for path in paths]
    known = [count for count in counts if count is not None]
    return sum(known) if known and len(known) == len(counts) else None


def _modules(tree: Tree) -> tuple[str, ...]:
    """Name the modules that have errors, by the label the driver gives them, else by their place."""
    places = {
        path.rpartition("/")[0]
        for path in tree
        if re.fullmatch(rf"{PLACE}/mc[0-9]+/dimm[0-9]+/dimm_[cu]e_count", path)
        and integer(text_at(tree, path))
    }
    return tuple(
        sorted(text_at(tree, f"{place}/dimm_label") or place.removeprefix(f"{PLACE}/") for place in places)
    )
