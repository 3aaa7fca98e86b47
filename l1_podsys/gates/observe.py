"""What a cluster offers to work, from its nodes' facts and from what the scheduler says."""

from collections.abc import Mapping
from typing import Literal

from l0_infra.core.nodeset import natural_key
from l0_infra.schemas import NodeFacts
from l1_podsys.gates.quick import Scene
from l1_podsys.gates.view import NodeView, controller_of
from l1_podsys.schemas import AcceleratorState, Cluster, ClusterState, NodeState, SchedulerAccess
from l1_podsys.slurm import SlurmNode, parse_drain

__all__ = ["observe_cluster"]

State = Literal["idle", "drained", "down", "unknown"]


def observe_cluster(cluster: Cluster, scene: Scene) -> ClusterState:
    """Say what the compute nodes offer; what is not known of a node is zero, and its state `unknown`."""
    known = {node.name: node for node in scene.slurm or ()}
    compute = [view for view in scene.views if "compute" in view.member.roles]
    nodes = sorted((_node(cluster, view, known) for view in compute), key=lambda one: natural_key(one.name))
    controller = controller_of(cluster)
    host = controller.address if cluster.scheduler.engine == "slurm" else ""
    return ClusterState(
        name=cluster.name,
        nodes=tuple(nodes),
        scheduler=SchedulerAccess(engine=cluster.scheduler.engine, host=host),
    )


def _node(cluster: Cluster, view: NodeView, known: Mapping[str, SlurmNode]) -> NodeState:
    facts, found = view.facts, known.get(view.name)
    state, reason = _state(cluster, view, found)
    return NodeState(
        name=view.name,
        node_class=view.member.node_class,
        state=state,
        state_reason=reason,
        cpus=_first(None if found is None else found.cpus, None if facts is None else facts.cpus_usable),
        memory_bytes=_first(
            None if found is None else found.memory_bytes,
            None if facts is None else facts.memory_usable_bytes,
        ),
        accelerators=() if facts is None else _accelerators(facts),
    )


def _first(*values: int | None) -> int:
    return next((value for value in values if value is not None), 0)


def _state(cluster: Cluster, view: NodeView, found: SlurmNode | None) -> tuple[State, str]:
    if cluster.scheduler.engine != "slurm":
        return ("down", view.lost) if view.lost else ("idle", "")
    if found is None:
        return "unknown", view.lost or "unknown to the scheduler"
    if found.down:
        return "down", found.reason or view.lost or found.state
    if found.drained:
        drain = parse_drain(found.reason, found.reason_by)
        return "drained", f"{drain.owner}: {drain.reason}"
    return "idle", ""


def _accelerators(facts: NodeFacts) -> tuple[AcceleratorState, ...]:
    return tuple(
        AcceleratorState(id=one.id, model=one.model or "", memory_bytes=one.memory_bytes)
        for one in facts.accelerators
    )
