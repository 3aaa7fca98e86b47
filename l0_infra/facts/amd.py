"""AMD accelerators: `amd-smi`, and `rocm-smi` on older nodes."""

import re

from l0_infra.facts.bundle import Answer, Source
from l0_infra.facts.json_value import Json, decode, dig, items, keys, size_bytes, word
from l0_infra.facts.vendor import Found, pci_address, percent, pid, text
from l0_infra.schemas import Accelerator, AcceleratorProcess, Unread

__all__ = ["SOURCES", "parse_amd"]

LIST = Source(name="amd-smi-list.json", program="amd-smi", command="amd-smi list --json")
STATIC = Source(
    name="amd-smi-static.json",
    program="amd-smi",
    command="amd-smi static --asic --bus --vram --driver --json",
)
METRIC = Source(
    name="amd-smi-metric.json", program="amd-smi", command="amd-smi metric --usage --mem-usage --json"
)
PROCESS = Source(name="amd-smi-process.json", program="amd-smi", command="amd-smi process --json")
ROCM = Source(
    name="rocm-smi.json",
    program="rocm-smi",
    command="command -v amd-smi >/dev/null || rocm-smi --showproductname --showuniqueid --showbus"
    " --showmeminfo vram --showuse --showdriverversion --showpids --json",
)
SOURCES = (LIST, STATIC, METRIC, PROCESS, ROCM)


def parse_amd(listed: Answer, static: Answer, metric: Answer, process: Answer, rocm: Answer) -> Found:
    """Put together what `amd-smi` says of each GPU; where it is not installed, what `rocm-smi` says."""
    answers = {"amd-smi static": static, "amd-smi list": listed, "amd-smi metric": metric}
    answers |= {"amd-smi process": process, "rocm-smi": rocm}
    unread = [fault for what, answer in answers.items() for fault in answer.unread(what)]
    unread += [
        Unread(what=what, reason="garbled", detail=answer.out.strip()[:200])
        for what, answer in answers.items()
        if answer.ok and answer.out.strip() and decode(answer.out) is None
    ]
    gpus = (
        _rocm_gpus(decode(rocm.out)) if static.end == "absent" else _amd_gpus(listed, static, metric, process)
    )
    return Found(accelerators=gpus, unread=tuple(unread))


def _amd_gpus(listed: Answer, static: Answer, metric: Answer, process: Answer) -> tuple[Accelerator, ...]:
    ids, facts, now = _by_gpu(listed), _by_gpu(static), _by_gpu(metric)
    held = _by_gpu(process)
    return tuple(_amd_gpu(i, ids.get(i), facts[i], now.get(i), held.get(i)) for i in sorted(facts))


def _by_gpu(answer: Answer) -> dict[int, Json]:
    """Sort the entries by GPU; newer versions wrap the list in `gpu_data`."""
    value = decode(answer.out)
    entries = items(dig(value, "gpu_data")) or items(value)
    return {gpu: entry for entry in entries if isinstance(gpu := dig(entry, "gpu"), int) and gpu >= 0}


def _amd_gpu(index: int, listed: Json, static: Json, metric: Json, process: Json) -> Accelerator:
    memory = size_bytes(dig(static, "vram", "size"))
    return Accelerator(
        id=f"amd:{index}",
        vendor="amd",
        index=index,
        model=text(word(dig(static, "asic", "market_name"))),
        uuid=text(word(dig(listed, "uuid"))),
        memory_bytes=memory or size_bytes(dig(metric, "mem_usage", "total_vram")),
        memory_used_bytes=size_bytes(dig(metric, "mem_usage", "used_vram")),
        utilization_percent=percent(word(dig(metric, "usage", "gfx_activity"))),
        pci=pci_address(word(dig(static, "bus", "bdf")) or word(dig(listed, "bdf"))),
        driver_version=text(word(dig(static, "driver", "version"))),
        processes=_amd_processes(process),
    )


def _amd_processes(entry: Json) -> tuple[AcceleratorProcess, ...] | None:
    if dig(entry, "process_list") is None:
        return None
    told = [dig(one, "process_info") for one in items(dig(entry, "process_list"))]
    return tuple(
        AcceleratorProcess(pid=number, memory_bytes=size_bytes(dig(one, "memory_usage", "vram_mem")))
        for one in told
        if (number := pid(word(dig(one, "pid")))) is not None
    )


def _rocm_gpus(value: Json) -> tuple[Accelerator, ...]:
    """Read `rocm-smi --json`; it names processes but not their GPUs, so any of several may be busy."""
    system = dig(value, "system")
    cards = {int(key[4:]): key for key in keys(value) if re.fullmatch("card[0-9]{1,4}", key)}
    pids = [pid(key[3:]) for key in keys(system) if re.fullmatch("PID[0-9]+", key)]
    held = tuple(AcceleratorProcess(pid=number) for number in pids if number is not None)
    driver = text(word(dig(system, "Driver version")))
    processes = held if len(cards) == 1 or not held else None
    return tuple(_rocm_gpu(index, dig(value, cards[index]), driver, processes) for index in sorted(cards))


def _rocm_gpu(
    index: int, card: Json, driver: str | None, processes: tuple[AcceleratorProcess, ...] | None
) -> Accelerator:
    return Accelerator(
        id=f"amd:{index}",
        vendor="amd",
        index=index,
        model=text(word(dig(card, "Card Series") or dig(card, "Card series"))),
        uuid=text(word(dig(card, "Unique ID"))),
        memory_bytes=size_bytes(dig(card, "VRAM Total Memory (B)")),
        memory_used_bytes=size_bytes(dig(card, "VRAM Total Used Memory (B)")),
        utilization_percent=percent(word(dig(card, "GPU use (%)"))),
        pci=pci_address(word(dig(card, "PCI Bus"))),
        driver_version=driver,
        processes=processes,
    )
