"""Where a run would go, and what it would find there."""

import os
import shutil
from pathlib import Path

from l0_infra.core.errors import UnsatisfiableError
from l0_infra.core.store import ogai_home, prepare_home
from l1_podsys.schemas import NodeState
from l3_modeltools import Place
from ogai.flows.machine import MachineProbe

__all__ = ["LOCAL", "find_place", "runs_folder"]

LOCAL = "local"
"""What `--on` calls this machine."""


def runs_folder() -> Path:
    """Make and name the folder of this person's runs. Raises EngineError when it cannot be kept there."""
    folder = prepare_home(ogai_home(os.environ)) / "runs"
    folder.mkdir(exist_ok=True)
    return folder


def find_place(on: str | None) -> Place:
    """Say what the chosen cluster offers to a run; null: the current cluster, which is this machine.

    Raises UnsatisfiableError for a cluster nobody brought up, FactsMissingError when this machine cannot be measured.
    """
    if on not in (None, LOCAL):
        raise UnsatisfiableError(
            "--on",
            found=f"the cluster `{on}`",
            expected=f"`{LOCAL}`, this machine: no cluster has been brought up",
        )
    runs = runs_folder()
    return describe_place(MachineProbe(runs.parent)(), shutil.disk_usage(runs).free)


def describe_place(node: NodeState, disk_free_bytes: int) -> Place:
    """Say in L3's words what one node offers."""
    first = next(iter(node.accelerators), None)
    return Place(
        name=node.name,
        nodes=1,
        cpus=node.cpus,
        memory_bytes=node.memory_bytes,
        accelerators=len(node.accelerators),
        accelerator_model=first.model if first else "",
        accelerator_memory_bytes=first.memory_bytes if first else None,
        disk_free_bytes=disk_free_bytes,
    )
