"""The short forms of `nvidia-smi`: the CSV of a query, and `-L`."""

import re
from collections.abc import Mapping

from l0_infra.facts.nvidia.partitions import PartitionName
from l0_infra.facts.nvidia.sources import FIELDS
from l0_infra.facts.nvidia.words import known
from l0_infra.facts.vendor import mebibytes, pci_address, percent, pid
from l0_infra.schemas import Accelerator, AcceleratorProcess

__all__ = ["Holders", "held_by", "parse_apps", "parse_list", "parse_partition_names", "parse_rows", "rows_of"]

IDLE = "No running processes found"
INDEX = re.compile("[0-9]{1,3}")
GPU_LINE = re.compile(r"GPU ([0-9]{1,3}): ([^\n]{1,200}?) \(UUID: ([^()\n]{1,80})\)")
PARTITION_LINE = re.compile(r"\s+MIG (\S{1,40})\s+Device\s+([0-9]{1,3}): \(UUID: ([^()\n]{1,120})\)")

Holders = Mapping[str, tuple[AcceleratorProcess | None, ...]]
"""Processes by the unique id of the GPU or partition that they hold; None is one whose process id is not told."""


def rows_of(out: str) -> tuple[tuple[list[str], ...], tuple[str, ...]]:
    """Split what `--query-gpu` printed into rows and lines that are none."""
    lines = [line for line in out.split("\n") if line.strip()]
    rows = {line: line.split(", ") for line in lines}
    whole = {
        line: row
        for line, row in rows.items()
        if len(row) == len(FIELDS.split(",")) and INDEX.fullmatch(row[0].strip())
    }
    return tuple(whole.values()), tuple(line for line in rows if line not in whole)


def parse_rows(rows: tuple[list[str], ...], held: Holders | None) -> tuple[Accelerator, ...]:
    """Make a GPU of each row."""
    return tuple(_gpu(row, held) for row in rows)


def parse_apps(out: str) -> tuple[Holders, tuple[str, ...]]:
    """Read `--query-compute-apps=gpu_uuid,pid,used_memory`: who holds what, and lines that do not tell."""
    found: dict[str, tuple[AcceleratorProcess | None, ...]] = {}
    odd = []
    for line in (line for line in out.split("\n") if line.strip() and not line.startswith(IDLE)):
        uuid, number, memory, *_ = [*(word.strip() for word in line.split(",")), "", ""]
        if not uuid.startswith(("GPU-", "MIG-")):
            odd.append(line)
            continue
        process = pid(number)
        one = None if process is None else AcceleratorProcess(pid=process, memory_bytes=mebibytes(memory))
        found[uuid] = (*found.get(uuid, ()), one)
    return found, tuple(odd)


def held_by(uuid: str | None, held: Holders | None) -> tuple[AcceleratorProcess, ...] | None:
    """Return who holds a GPU; None when it is not known, as when a partition of some GPU is held."""
    if held is None or uuid is None:
        return None
    own = held.get(uuid, ())
    whole = tuple(process for process in own if process is not None)
    elsewhere = not own and any(key.startswith("MIG-") for key in held)
    return None if elsewhere or len(whole) < len(own) else whole


def parse_list(out: str) -> tuple[Accelerator, ...]:
    """Read the GPUs of `nvidia-smi -L`."""
    return tuple(
        Accelerator(
            id=f"nvidia:{int(match[1])}",
            vendor="nvidia",
            index=int(match[1]),
            model=known(match[2]),
            uuid=known(match[3]),
        )
        for line in out.split("\n")
        if (match := GPU_LINE.match(line))
    )


def parse_partition_names(out: str) -> Mapping[str, Mapping[int, PartitionName]]:
    """Read what `nvidia-smi -L` calls the partitions, by the GPU's unique id and the partition's number on it."""
    found: dict[str, dict[int, PartitionName]] = {}
    gpu = ""
    for line in out.split("\n"):
        if match := GPU_LINE.match(line):
            gpu = match[3]
        elif match := PARTITION_LINE.match(line):
            found.setdefault(gpu, {})[int(match[2])] = PartitionName(profile=match[1], uuid=match[3])
    return found


def _gpu(row: list[str], held: Holders | None) -> Accelerator:
    index, name, uuid, memory, used, busy, bus, driver = row
    own = known(uuid)
    return Accelerator(
        id=f"nvidia:{int(index)}",
        vendor="nvidia",
        index=int(index),
        model=known(name),
        uuid=own,
        memory_bytes=mebibytes(memory),
        memory_used_bytes=mebibytes(used),
        utilization_percent=percent(busy),
        pci=pci_address(bus),
        driver_version=known(driver),
        processes=held_by(own, held),
    )
