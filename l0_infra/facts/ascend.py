"""Ascend accelerators, as the table of `npu-smi info` shows them."""

import re
from collections.abc import Iterator
from dataclasses import dataclass

from l0_infra.facts.bundle import Answer, Source
from l0_infra.facts.vendor import Found, mebibytes, pci_address, percent, pid, text
from l0_infra.schemas import Accelerator, AcceleratorProcess, Unread

__all__ = ["SOURCES", "parse_ascend"]

TOOL = "npu-smi info"
NPUS = Source(name="npu-smi-info.txt", program="npu-smi", command=TOOL)
SOURCES = (NPUS,)

Key = tuple[str, str]
"""NPU and chip, as printed: a process names the chip it holds by both."""


@dataclass(frozen=True, kw_only=True, slots=True)
class _Chip:
    """One chip, as the two lines say that the table gives it."""

    key: Key
    index: int
    model: str
    bus: str
    usage: str


def parse_ascend(npus: Answer) -> Found:
    """Read chips and their processes; the 910C has two chips on each NPU, and each counts."""
    rows = [[cell.strip() for cell in line.split("|")[1:-1]] for line in npus.out.split("\n")]
    chips = list(_chips(rows))
    driver = re.search(r"Version:\s*(\S+)", npus.out)
    version = text(driver[1]) if driver else None
    held = list(_processes(rows)) if any("Process id" in row for row in rows) else None
    unread = list(npus.unread(TOOL))
    if npus.ok and not chips:
        unread.append(Unread(what=TOOL, reason="garbled", detail=npus.out.strip()[:200]))
    return Found(accelerators=tuple(_npu(chip, version, held) for chip in chips), unread=tuple(unread))


def _chips(rows: list[list[str]]) -> Iterator[_Chip]:
    """Join the line that names an NPU with the line of its chip, which has the bus id."""
    first: tuple[str, str] = ("", "")
    count = 0
    for row in rows:
        if len(row) != 3:
            continue
        number, _, rest = (word.strip() for word in row[0].partition(" "))
        if number.isdecimal() and pci_address(row[1]):
            index = int(rest) if rest.isascii() and rest.isdecimal() else count
            yield _Chip(key=(first[0], number), index=index, model=first[1], bus=row[1], usage=row[2])
            count += 1
        elif number.isdecimal():
            first = (number, rest)


def _processes(rows: list[list[str]]) -> Iterator[tuple[Key, AcceleratorProcess]]:
    for row in rows:
        npu, _, chip = row[0].partition(" ") if len(row) == 4 else ("", "", "")
        process = pid(row[1]) if npu.isdecimal() else None
        if process is not None:
            yield (npu, chip.strip()), AcceleratorProcess(pid=process, memory_bytes=mebibytes(row[3]))


def _npu(chip: _Chip, driver: str | None, held: list[tuple[Key, AcceleratorProcess]] | None) -> Accelerator:
    sizes = re.findall(r"([0-9]+)\s*/\s*([0-9]+)", chip.usage)
    used, total = next((pair for pair in reversed(sizes) if pair[1] != "0"), ("", ""))
    return Accelerator(
        id=f"ascend:{chip.index}",
        vendor="ascend",
        index=chip.index,
        model=text(chip.model),
        memory_bytes=mebibytes(total),
        memory_used_bytes=mebibytes(used),
        utilization_percent=percent(chip.usage.partition(" ")[0]),
        pci=pci_address(chip.bus),
        driver_version=driver,
        processes=None if held is None else tuple(process for key, process in held if key == chip.key),
    )
