"""One NPU chip as an accelerator: the table, the mapping and the queries put together."""

import re
from dataclasses import dataclass

from l0_infra.facts.ascend.hccs import hccs_links
from l0_infra.facts.ascend.mapping import Mapped
from l0_infra.facts.ascend.queries import Fields
from l0_infra.facts.ascend.state import clocks, condition, ecc, memory_repair
from l0_infra.facts.ascend.table import Chip
from l0_infra.facts.vendor import links_up, mebibytes, pci_address, percent, text
from l0_infra.schemas import Accelerator, AcceleratorProcess

__all__ = ["Evidence", "accelerator"]

USED = re.compile(r"([0-9]{1,9})\s{0,9}/\s{0,9}([0-9]{1,9})(?![0-9])")
CAPACITIES = ("HBM Capacity(MB)", "DDR Capacity(MB)", "Memory Capacity(MB)", "Capacity(MB)")


@dataclass(frozen=True, kw_only=True, slots=True)
class Evidence:
    """What there is about one chip: any of it may be missing."""

    index: int
    chip: Chip | None
    mapped: Mapped | None
    fields: Fields
    driver: str | None
    processes: tuple[AcceleratorProcess, ...] | None


def accelerator(known: Evidence) -> Accelerator:
    """Describe the chip; what only a query tells stands in for what the table lacks."""
    chip, fields = known.chip, known.fields
    usage = chip.usage if chip else ""
    used, size = _memory(usage)
    links = hccs_links(fields)
    return Accelerator(
        id=f"ascend:{known.index}",
        vendor="ascend",
        index=known.index,
        model=_model(known),
        uuid=_joined(fields.get("VDie ID", "")),
        memory_bytes=size or _capacity(fields),
        memory_used_bytes=used,
        utilization_percent=_busy(usage, fields),
        pci=pci_address(chip.bus if chip else "") or pci_address(fields.get("PCIe Bus Info", "")),
        driver_version=text(known.driver or fields.get("Software Version", "")),
        processes=known.processes,
        serial=text(fields.get("Serial Number", "")),
        firmware_version=text(fields.get("Firmware Version", "")),
        condition=condition(chip, fields),
        clocks=clocks(fields),
        ecc=ecc(fields),
        memory_repair=memory_repair(fields),
        links=links,
        links_up=links_up(links),
    )


def _model(known: Evidence) -> str | None:
    names = (
        known.chip.name if known.chip else "",
        known.mapped.name if known.mapped else "",
        known.fields.get("Chip Name", ""),
    )
    return next((name for name in map(text, names) if name), None)


def _memory(usage: str) -> tuple[int | None, int | None]:
    """Take the last pair `used / total` that has a total: HBM, where there is any, stands last."""
    pairs = [(int(used), int(size)) for used, size in USED.findall(usage)]
    used, size = next((pair for pair in reversed(pairs) if pair[1]), (0, 0))
    if not size or used > size:
        return None, None
    return mebibytes(str(used)), mebibytes(str(size))


def _capacity(fields: Fields) -> int | None:
    sizes = (mebibytes(fields.get(label, "")) for label in CAPACITIES)
    return next((size for size in sizes if size), None)


def _busy(usage: str, fields: Fields) -> float | None:
    shown = percent(usage.partition(" ")[0])
    return percent(fields.get("Aicore Usage Rate(%)", "")) if shown is None else shown


def _joined(words: str) -> str | None:
    """Write the id of a die as other tools of the vendor do: `1A2B3C4D-…`."""
    return "-".join(words.split()) or None if text(words) else None
