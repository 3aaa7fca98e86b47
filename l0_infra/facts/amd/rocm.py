"""`rocm-smi --json`, where `amd-smi` is not installed: a flat table of each card, with units in the keys."""

import re
from collections.abc import Mapping

from l0_infra.facts.json_value import Json, dig, keys, size_bytes, word
from l0_infra.facts.quantity import celsius, measured, told
from l0_infra.facts.vendor import pci_address, percent, pid, text
from l0_infra.schemas import Accelerator, AcceleratorProcess, Condition

__all__ = ["is_rocm", "rocm_gpus"]

CARD = re.compile("card[0-9]{1,4}")


def is_rocm(value: Json) -> bool:
    """Say whether a document is `rocm-smi`'s."""
    return any(CARD.fullmatch(key) for key in keys(value))


def rocm_gpus(value: Json) -> tuple[Accelerator, ...]:
    """Read the cards; the tool names processes but not their GPUs, so any of several may be busy."""
    system = dig(value, "system")
    cards = {int(key[4:]): key for key in keys(value) if CARD.fullmatch(key)}
    pids = [pid(key[3:]) for key in keys(system) if re.fullmatch("PID[0-9]{1,9}", key)]
    held = tuple(AcceleratorProcess(pid=number) for number in pids if number is not None)
    driver = text(word(dig(system, "Driver version")))
    processes = held if len(cards) == 1 or not held else None
    return tuple(_gpu(index, dig(value, cards[index]), driver, processes) for index in sorted(cards))


def _gpu(
    index: int, card: Json, driver: str | None, processes: tuple[AcceleratorProcess, ...] | None
) -> Accelerator:
    return Accelerator(
        id=f"amd:{index}",
        vendor="amd",
        index=index,
        model=text(_of(card, "Card Series", "Card series")),
        uuid=text(_of(card, "Unique ID")),
        serial=text(_of(card, "Serial Number")),
        firmware_version=text(_of(card, "VBIOS version")),
        memory_bytes=size_bytes(dig(card, "VRAM Total Memory (B)")),
        memory_used_bytes=size_bytes(dig(card, "VRAM Total Used Memory (B)")),
        utilization_percent=percent(_of(card, "GPU use (%)")),
        pci=pci_address(_of(card, "PCI Bus")),
        driver_version=driver,
        processes=processes,
        condition=_condition(card),
    )


def _condition(card: Json) -> Condition | None:
    heat = ("Temperature (Sensor junction) (C)", "Temperature (Sensor edge) (C)")
    power = ("Current Socket Graphics Package Power (W)", "Average Graphics Package Power (W)")
    return told(
        Condition(
            temperature_c=celsius(_of(card, *heat)),
            memory_temperature_c=celsius(_of(card, "Temperature (Sensor memory) (C)")),
            power_w=measured(_of(card, *power)),
            power_limit_w=measured(_of(card, "Max Graphics Package Power (W)")),
        )
    )


def _of(card: Json, *names: str) -> str:
    told = card if isinstance(card, Mapping) else {}
    return next((word(told[name]).strip() for name in names if text(word(told.get(name)))), "")
