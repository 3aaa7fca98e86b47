"""The PCI Express link of a device, as the kernel's files of that device tell it."""

import re

from l0_infra.facts.tree import Tree, integer, text_at
from l0_infra.schemas import PcieLink

__all__ = ["PCIE_FILES", "parse_pcie_link"]

PCIE_FILES = ("current_link_speed", "current_link_width", "max_link_speed", "max_link_width")

GENERATIONS = {"2.5": 1, "5": 2, "8": 3, "16": 4, "32": 5, "64": 6}
"""By gigatransfers per second and lane."""


def parse_pcie_link(tree: Tree, place: str) -> PcieLink | None:
    """Read the link of the device whose files lie at `place`; None where they tell nothing."""
    speed, width, speed_max, width_max = (text_at(tree, f"{place}/{file}") for file in PCIE_FILES)
    link = PcieLink(
        generation=_generation(speed),
        generation_max=_generation(speed_max),
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
