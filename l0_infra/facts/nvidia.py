"""NVIDIA accelerators, as `nvidia-smi` lists them."""

import re
from collections.abc import Iterator, Mapping

from l0_infra.facts.bundle import Answer, Source
from l0_infra.facts.vendor import Found, mebibytes, pci_address, percent, pid, text
from l0_infra.schemas import Accelerator, AcceleratorProcess, Unread

__all__ = ["SOURCES", "parse_nvidia"]

FIELDS = "index,name,uuid,memory.total,memory.used,utilization.gpu,pci.bus_id,driver_version"
CSV = "--format=csv,noheader,nounits"
TOOL = "nvidia-smi"

GPUS = Source(name="nvidia-smi-query-gpu.csv", program=TOOL, command=f"{TOOL} --query-gpu={FIELDS} {CSV}")
PROCESSES = Source(
    name="nvidia-smi-query-compute-apps.csv",
    program=TOOL,
    command=f"{TOOL} --query-compute-apps=gpu_uuid,pid,used_memory {CSV}",
)
MODULE = Source(
    name="proc-driver-nvidia-version.txt", program=TOOL, command="cat /proc/driver/nvidia/version"
)
SOURCES = (GPUS, PROCESSES, MODULE)

MISMATCH = "Driver/library version mismatch"
Processes = Mapping[str, tuple[AcceleratorProcess, ...]]


def parse_nvidia(gpus: Answer, processes: Answer, module: Answer) -> Found:
    """Put together the list of GPUs, the processes on them and the version of the loaded kernel module."""
    if MISMATCH in gpus.out + gpus.err:
        return Found(unread=(_mismatch(gpus, module.out),))
    rows = [line.split(", ") for line in gpus.out.split("\n") if line.strip()]
    whole = [row for row in rows if len(row) == len(FIELDS.split(",")) and row[0].strip().isdecimal()]
    held = _processes(processes.out) if processes.ok else None
    unread = [*gpus.unread(TOOL), *processes.unread(f"{TOOL} --query-compute-apps")]
    if gpus.ok:
        unread += _garbled(rows, whole)
    return Found(accelerators=tuple(_gpu(row, held) for row in whole), unread=tuple(dict.fromkeys(unread)))


def _gpu(row: list[str], held: Processes | None) -> Accelerator:
    index, name, uuid, memory, used, busy, bus, driver = row
    own = text(uuid)
    return Accelerator(
        id=f"nvidia:{int(index)}",
        vendor="nvidia",
        index=int(index),
        model=text(name),
        uuid=own,
        memory_bytes=mebibytes(memory),
        memory_used_bytes=mebibytes(used),
        utilization_percent=percent(busy),
        pci=pci_address(bus),
        driver_version=text(driver),
        processes=None if held is None or own is None else held.get(own, ()),
    )


def _processes(out: str) -> Processes:
    found: dict[str, tuple[AcceleratorProcess, ...]] = {}
    for line in out.split("\n"):
        uuid, number, memory, *_ = [*line.split(", "), "", "", ""]
        process = pid(number)
        if process is not None:
            one = AcceleratorProcess(pid=process, memory_bytes=mebibytes(memory))
            found[uuid.strip()] = (*found.get(uuid.strip(), ()), one)
    return found


def _garbled(rows: list[list[str]], whole: list[list[str]]) -> Iterator[Unread]:
    for row in rows:
        if row not in whole:
            yield Unread(what=TOOL, reason="garbled", detail=", ".join(row)[:200])


def _mismatch(gpus: Answer, module: str) -> Unread:
    library = re.search(r"NVML library version: ([0-9.]+)", gpus.out + gpus.err)
    kernel = re.search(r"NVRM version:.*?\s([0-9]+(?:\.[0-9]+)+)\s", module)
    return Unread(
        what=TOOL,
        reason="driver mismatch",
        detail=f"the loaded kernel module is {kernel[1] if kernel else 'of an unknown version'},"
        f" the library is {library[1] if library else 'of another version'}",
        hint="the driver was updated under a running kernel: reboot, or reload the nvidia modules",
    )
