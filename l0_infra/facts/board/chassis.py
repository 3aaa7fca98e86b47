"""The machine as its firmware names it, where the kernel's files about that are not at hand."""

from collections.abc import Sequence

from l0_infra.facts.board.dmi import Structure, told
from l0_infra.schemas import Chassis

__all__ = ["fill_chassis"]

SYSTEM = 1
"""SMBIOS type of the system's own names."""


def fill_chassis(chassis: Chassis, structures: Sequence[Structure]) -> Chassis:
    """Fill what is not known: only root may read serial numbers from the kernel, a bundle may have one file only."""
    system = next((one for one in structures if one.type == SYSTEM), None)
    if system is None:
        return chassis
    return Chassis(
        vendor=chassis.vendor or told(system, "Manufacturer"),
        product=chassis.product or told(system, "Product Name"),
        serial=chassis.serial or told(system, "Serial Number"),
        uuid=chassis.uuid or told(system, "UUID"),
    )
