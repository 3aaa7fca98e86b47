"""The PCI Express link of a device, as the kernel's files of that device tell it."""

import re

from l0_infra.facts.tree import Tree, integer, text_at
from l0_infra.schemas import PcieLink

__all__ = ["PCIE_FILES", "parse_pcie_link"]

PCIE_FILES = (
    *("current_link_speed", "current_link_width", "max_link_speed", "max_link_width"),
    "../max_link_speed",
)
"""The last is of the bridge above, which is the slot."""

GENERATIONS = {"2.5": 1, "5": 2, "8": 3, "16": 4, "32": 5, "64": 6}
"""By gigatransfers per second and lane."""


def parse_pcie_link(tree: Tree, place: str) -> PcieLink | None:
    """Read the link of the device whose files lie at `place`; None where they tell nothing."""
    speed, width, own, width_max, above = (text_at(tree, f"{place}/{file}") for file in PCIE_FILES)
    device, slot = _generation(own), _generation(above)
    link = PcieLink(
        generation=_generation(speed),
        generation_max=min(device, slot) if device and slot else None,
        generation_device_max=device,
        width=_lanes(width),
        width_max=_lanes(width_max),
    )
    return None if link == PcieLink() else link


def _generation(text: str | None) -> int | None:
    match = re.match(r"([0-9.]{1,5}) GT/s", text or "")
    return GENERATIONS.get(match[1].removesuffix(".0")) if match else None


def _lanes(text: str | None) -> int | None:
    """Read how many lanes; the kernel writes 0 or 255 where it does not know."""
    count = integer(text)
    return count if count in (1, 2, 4, 8, 12, 16, 32) else None
