"""What is on the board: memory modules and their errors, the management controller, disks' own health."""

from collections.abc import Sequence
from dataclasses import dataclass

from l0_infra.facts.board import chassis, disk_health, dmi, management, memory_errors, memory_modules
from l0_infra.facts.bundle import Answers
from l0_infra.facts.tree import parse_tree
from l0_infra.schemas import Chassis, Disk, ManagementController, MemoryErrors, MemoryModule, Unread

__all__ = ["SOURCES", "Board", "parse_board"]

SOURCES = (
    *(dmi.DMIDECODE, memory_errors.EDAC, management.IPMI),
    *(disk_health.NVME, disk_health.SMARTCTL),
)


@dataclass(frozen=True, kw_only=True, slots=True)
class Board:
    """All of it, and what of it could not be read."""

    memory_modules: tuple[MemoryModule, ...] | None
    memory_errors: MemoryErrors
    management: ManagementController | None
    chassis: Chassis
    disks: tuple[Disk, ...]
    unread: tuple[Unread, ...]


def parse_board(answers: Answers, machine: Chassis, disks: Sequence[Disk]) -> Board:
    """Make facts of what the sources said; disks come back with their health, the chassis with what it lacked."""
    structures = dmi.parse_dmi(answers[dmi.DMIDECODE.name].out)
    return Board(
        memory_modules=memory_modules.parse_modules(structures),
        memory_errors=memory_errors.parse_memory_errors(parse_tree(answers[memory_errors.EDAC.name].out)),
        management=management.parse_management(answers[management.IPMI.name], structures),
        chassis=chassis.fill_chassis(machine, structures),
        disks=disk_health.join_health(disks, answers),
        unread=(
            *answers[dmi.DMIDECODE.name].unread("dmidecode"),
            *answers[management.IPMI.name].unread("ipmitool"),
            *disk_health.health_unread(answers),
        ),
    )
