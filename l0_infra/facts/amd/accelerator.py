"""One AMD GPU, as all outputs of `amd-smi` together describe it."""

from l0_infra.facts.amd.documents import Entry
from l0_infra.facts.amd.links import xgmi_links
from l0_infra.facts.amd.memory import ecc, memory_repair
from l0_infra.facts.amd.state import clocks, condition, partitioning, pcie
from l0_infra.facts.amd.values import any_of, megabytes
from l0_infra.facts.json_value import dig, items, size_bytes, word
from l0_infra.facts.tree import integer
from l0_infra.facts.vendor import links_up, pci_address, percent, pid, program, text
from l0_infra.schemas import Accelerator, AcceleratorProcess

__all__ = ["accelerator"]


def accelerator(gpu: int, entry: Entry) -> Accelerator:
    """Describe a GPU; a key has had several names, and the newest is looked for first."""
    links = xgmi_links(gpu, entry)
    return Accelerator(
        id=f"amd:{gpu}",
        vendor="amd",
        index=gpu,
        model=_text(entry, "asic.market_name", "board.product_name"),
        uuid=_text(entry, "uuid", "gpu_uuid"),
        memory_bytes=megabytes(
            any_of(entry, "vram.size", "vram.vram_size", "vram.vram_size_mb")
            or any_of(entry, "mem_usage.total_vram", "vram_usage.vram_total", "fb_usage.vram_total")
        ),
        memory_used_bytes=megabytes(
            any_of(entry, "mem_usage.used_vram", "vram_usage.vram_used", "fb_usage.vram_used")
        ),
        utilization_percent=percent(word(any_of(entry, "usage.gfx_activity", "usage.gfx_usage"))),
        pci=pci_address(word(any_of(entry, "bus.bdf", "bdf", "gpu_bdf"))),
        driver_version=_text(entry, "driver.version", "driver.driver_version"),
        processes=_processes(entry),
        serial=_text(entry, "board.product_serial"),
        firmware_version=_text(
            entry, "ifwi.version", "vbios.version", "ifwi.part_number", "vbios.part_number"
        ),
        numa_node=integer(word(any_of(entry, "numa.node"))),
        condition=condition(entry),
        clocks=clocks(entry),
        ecc=ecc(entry),
        memory_repair=memory_repair(entry),
        pcie=pcie(entry),
        links=links,
        links_up=links_up(links),
        partitioning=partitioning(entry),
    )


def _text(entry: Entry, *paths: str) -> str | None:
    return text(word(any_of(entry, *paths)))


def _processes(entry: Entry) -> tuple[AcceleratorProcess, ...] | None:
    if dig(entry, "process_list") is None:
        return None
    told = [dig(one, "process_info") or one for one in items(dig(entry, "process_list"))]
    return tuple(
        AcceleratorProcess(
            pid=number,
            name=program(word(dig(one, "name"))),
            memory_bytes=size_bytes(any_of(one, "memory_usage.vram_mem", "vram_mem", "mem_usage")),
        )
        for one in told
        if (number := pid(word(dig(one, "pid")))) is not None
    )
