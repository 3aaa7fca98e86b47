"""Nodes become a cluster."""

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from l1_podsys.bringup import (
        MUNGE_KEY,
        PASSWORD,
        Member,
        Scene,
        Trait,
        cluster_members,
        controller_name,
        plan_bringup,
        trait_of,
        with_address,
        with_nodes,
        without_nodes,
    )
    from l1_podsys.gates import (
        CHECKS,
        NodeView,
        Reach,
        controller_of,
        judge_quick,
        members_of,
        needs_sudo,
        probe_offset,
        probe_scene,
    )
    from l1_podsys.slurm import Drainer, SlurmDrainer, delete_nodes_command

__all__ = [
    "CHECKS",
    "MUNGE_KEY",
    "PASSWORD",
    "Drainer",
    "Member",
    "NodeView",
    "Reach",
    "Scene",
    "SlurmDrainer",
    "Trait",
    "cluster_members",
    "controller_name",
    "controller_of",
    "delete_nodes_command",
    "judge_quick",
    "members_of",
    "needs_sudo",
    "plan_bringup",
    "probe_offset",
    "probe_scene",
    "trait_of",
    "with_address",
    "with_nodes",
    "without_nodes",
]

_HOME = {
    **dict.fromkeys(
        (
            *("MUNGE_KEY", "PASSWORD", "Member", "Scene", "Trait"),
            *("cluster_members", "controller_name", "plan_bringup", "trait_of"),
            *("with_address", "with_nodes", "without_nodes"),
        ),
        "l1_podsys.bringup",
    ),
    **dict.fromkeys(
        (
            "CHECKS",
            "NodeView",
            "Reach",
            "controller_of",
            "delete_nodes_command",
            "judge_quick",
            "members_of",
            "needs_sudo",
            "probe_offset",
            "probe_scene",
        ),
        "l1_podsys.gates",
    ),
    **dict.fromkeys(("Drainer", "SlurmDrainer", "delete_nodes_command"), "l1_podsys.slurm"),
}


def __getattr__(name: str) -> object:
    """Import a name of the face when it is first used, so that importing the package costs nothing."""
    if name not in _HOME:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(_HOME[name]), name)
