"""Memory modules by slot, as the firmware lists them (SMBIOS type 17)."""

import re
from collections.abc import Sequence

from l0_infra.facts.board.dmi import Structure, told
from l0_infra.schemas import MemoryModule

__all__ = ["parse_modules"]

MEMORY_DEVICE = 17
EMPTY = "No Module Installed"
UNITS = {"kB": 2**10, "MB": 2**20, "GB": 2**30, "TB": 2**40}
"""`dmidecode` counts in powers of two and writes the units without `i`."""


def parse_modules(structures: Sequence[Structure]) -> tuple[MemoryModule, ...] | None:
    """List the modules; None when no slot is told, which no machine with firmware tables of its own has."""
    slots = [one for one in structures if one.type == MEMORY_DEVICE and "Size" in one.fields]
    labels = [told(one, "Locator") for one in slots]
    filled = [
        (one, label)
        for one, label in zip(slots, labels, strict=True)
        if one.fields["Size"].strip() != EMPTY and told(one, "Type") != "Flash"
    ]
    if not slots:
        return None
    return tuple(_module(one, label, labels.count(label) > 1) for one, label in filled)


def _module(device: Structure, label: str | None, repeated: bool) -> MemoryModule:
    return MemoryModule(
        slot=_slot(device, label, repeated),
        size_bytes=_size(device.fields["Size"]),
        kind=told(device, "Type"),
        transfers_per_s=_rate(told(device, "Configured Memory Speed", "Configured Clock Speed")),
        transfers_per_s_max=_rate(told(device, "Speed")),
        maker=told(device, "Manufacturer"),
        part_number=told(device, "Part Number"),
        serial=told(device, "Serial Number"),
    )


def _slot(device: Structure, label: str | None, repeated: bool) -> str:
    """Label the slot; boards that call it alike on every socket tell it apart by the bank."""
    bank = told(device, "Bank Locator")
    if label and bank and repeated:
        return f"{bank} {label}"
    return label or bank or device.handle


def _size(text: str) -> int | None:
    match = re.fullmatch(r"\s*([0-9]{1,9}) (kB|MB|GB|TB)\s*", text)
    return int(match[1]) * UNITS[match[2]] or None if match else None


def _rate(text: str | None) -> int | None:
    """Read a rate in MT/s; before version 3.1 `dmidecode` called the same number MHz."""
    match = re.fullmatch(r"([0-9]{1,6}) (?:MT/s|MHz)", text or "")
    return int(match[1]) * 10**6 or None if match else None
