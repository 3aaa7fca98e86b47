"""Nodes become a cluster."""

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from l1_podsys.bringup import (
        MUNGE_KEY,
        PASSWORD,
        BringupScene,
        Member,
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
        GATE,
        DrainDecision,
        GateRecord,
        MeasuredCluster,
        NodeView,
        Reach,
        Scene,
        controller_of,
        decide_drains,
        forget_events,
        in_order,
        judge_meanwhile,
        judge_quick,
        load_record,
        measure_cluster,
        members_of,
        needs_sudo,
        observe_cluster,
        probe_offset,
        probe_scene,
        save_record,
        verdict,
        worst_of,
    )
    from l1_podsys.slurm import Drain, Drainer, SlurmDrainer, SlurmNode, delete_nodes_command, parse_drain

__all__ = [
    "CHECKS",
    "GATE",
    "MUNGE_KEY",
    "PASSWORD",
    "BringupScene",
    "Drain",
    "DrainDecision",
    "Drainer",
    "GateRecord",
    "MeasuredCluster",
    "Member",
    "NodeView",
    "Reach",
    "Scene",
    "SlurmDrainer",
    "SlurmNode",
    "Trait",
    "cluster_members",
    "controller_name",
    "controller_of",
    "decide_drains",
    "delete_nodes_command",
    "forget_events",
    "in_order",
    "judge_meanwhile",
    "judge_quick",
    "load_record",
    "measure_cluster",
    "members_of",
    "needs_sudo",
    "observe_cluster",
    "parse_drain",
    "plan_bringup",
    "probe_offset",
    "probe_scene",
    "save_record",
    "trait_of",
    "verdict",
    "with_address",
    "with_nodes",
    "without_nodes",
    "worst_of",
]

_BRINGUP = (
    "MUNGE_KEY",
    "PASSWORD",
    "BringupScene",
    "Member",
    "Trait",
    "cluster_members",
    "controller_name",
    "plan_bringup",
    "trait_of",
    "with_address",
    "with_nodes",
    "without_nodes",
)
_GATES = (
    "CHECKS",
    "GATE",
    "DrainDecision",
    "GateRecord",
    "MeasuredCluster",
    "NodeView",
    "Reach",
    "Scene",
    "controller_of",
    "decide_drains",
    "forget_events",
    "in_order",
    "judge_meanwhile",
    "judge_quick",
    "load_record",
    "measure_cluster",
    "members_of",
    "needs_sudo",
    "observe_cluster",
    "probe_offset",
    "probe_scene",
    "save_record",
    "verdict",
    "worst_of",
)
_SLURM = ("Drain", "Drainer", "SlurmDrainer", "SlurmNode", "delete_nodes_command", "parse_drain")
_HOME = {
    **dict.fromkeys(_BRINGUP, "l1_podsys.bringup"),
    **dict.fromkeys(_GATES, "l1_podsys.gates"),
    **dict.fromkeys(_SLURM, "l1_podsys.slurm"),
}


def __getattr__(name: str) -> object:
    """Import a name of the face when it is first used, so that importing the package costs nothing."""
    if name not in _HOME:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(_HOME[name]), name)
