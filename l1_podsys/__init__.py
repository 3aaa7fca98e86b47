"""Nodes become a cluster."""

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from l1_podsys.lab import (
        BREAKS,
        Break,
        HostHandle,
        Lab,
        LabHost,
        LabOs,
        LabPlace,
        LabWish,
        breaks_of,
        bring_lab_up,
        describe_lab_cluster,
        heal_host,
        lab_names,
        load_lab,
        load_labs,
        render_lab_cluster,
        ssh_command,
        take_lab_down,
    )

__all__ = [
    "BREAKS",
    "Break",
    "HostHandle",
    "Lab",
    "LabHost",
    "LabOs",
    "LabPlace",
    "LabWish",
    "breaks_of",
    "bring_lab_up",
    "describe_lab_cluster",
    "heal_host",
    "lab_names",
    "load_lab",
    "load_labs",
    "render_lab_cluster",
    "ssh_command",
    "take_lab_down",
]

_LAB = (
    "BREAKS",
    "Break",
    "HostHandle",
    "Lab",
    "LabHost",
    "LabOs",
    "LabPlace",
    "LabWish",
    "breaks_of",
    "bring_lab_up",
    "describe_lab_cluster",
    "heal_host",
    "lab_names",
    "load_lab",
    "load_labs",
    "render_lab_cluster",
    "ssh_command",
    "take_lab_down",
)
_HOME = dict.fromkeys(_LAB, "l1_podsys.lab")


def __getattr__(name: str) -> object:
    """Import a name of the face when it is first used, so that importing the package costs nothing."""
    if name not in _HOME:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(_HOME[name]), name)
