"""Where a run would go, and what it would find there."""

import os
import shutil
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from l0_infra.core.errors import UnsatisfiableError
from l0_infra.core.store import ogai_home, prepare_home
from l1_podsys import known_names
from l1_podsys.schemas import NodeState
from l3_modeltools import AcceleratorSize, Place
from ogai.flows.machine import MachineProbe

__all__ = ["LOCAL", "Destination", "find_place", "runs_folder"]

LOCAL = "local"
"""What `--on` calls this machine."""


VENDORS: tuple[Literal["amd", "ascend", "nvidia"], ...] = ("amd", "ascend", "nvidia")


@dataclass(frozen=True, kw_only=True, slots=True)
class Destination:
    """Where a run would go: its name, and what it offers."""

    name: str
    place: Place


def runs_folder() -> Path:
    """Make and name the folder of this person's runs. Raises EngineError when it cannot be kept there."""
    folder = prepare_home(ogai_home(os.environ)) / "runs"
    folder.mkdir(exist_ok=True)
    return folder


def find_place(on: str | None) -> Destination:
    """Say what the chosen place offers to a run; null: this machine, whichever cluster is current.

    Raises UnsatisfiableError for a cluster, to which nothing is submitted yet, FactsMissingError when this machine
    cannot be measured.
    """
    if on not in (None, LOCAL):
        known = on in known_names(ogai_home(os.environ))
        why = (
            "ogai does not submit to clusters yet"
            if known
            else "no such cluster has been brought up from here"
        )
        raise UnsatisfiableError(
            "--on", found=f"the cluster `{on}`", expected=f"`{LOCAL}`, this machine: {why}"
        )
    runs = runs_folder()
    node = MachineProbe(runs.parent)()
    return Destination(name=node.name, place=describe_place(node, shutil.disk_usage(runs).free))


def describe_place(node: NodeState, disk_free_bytes: int) -> Place:
    """Say in L3's words what one node offers; an accelerator whose memory is unknown cannot be planned for."""
    return Place(
        nodes=1,
        cpus=node.cpus,
        memory_bytes=node.memory_bytes,
        accelerators=tuple(
            AcceleratorSize(vendor=vendor, model=state.model, memory_bytes=state.memory_bytes)
            for state in node.accelerators
            for vendor in VENDORS
            if state.id.startswith(f"{vendor}:") and state.memory_bytes is not None
        ),
        disk_free_bytes=disk_free_bytes,
    )
