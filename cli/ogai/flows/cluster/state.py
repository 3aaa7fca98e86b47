"""What a cluster offers after a run, as far as its nodes were seen."""

import msgspec

from l0_infra.core.nodeset import natural_key
from l0_infra.core.store import load_file
from l0_infra.schemas import NodeFacts
from l1_podsys import cluster_members
from l1_podsys.schemas import AcceleratorState, ClusterState, NodeState, SchedulerAccess
from ogai.flows.cluster.brought import Brought
from ogai.flows.cluster.prepare import Prepared

__all__ = ["observe"]


def observe(prepared: Prepared, brought: Brought, controller: str) -> ClusterState:
    """Describe the compute nodes: those seen now as they were found, the others as they were last described."""
    members = cluster_members(prepared.cluster)
    known = {node.name: node for node in _last(prepared)}
    bad = {node.name: node.state for node in brought.nodes if node.state != "ready"}
    for name, facts in prepared.facts.items():
        if name in members and "compute" in members[name].places:
            known[name] = _node(name, members[name].node.node_class, facts, bad.get(name, ""))
    for name, why in bad.items():
        if name in known:
            known[name] = msgspec.structs.replace(known[name], state="unknown", state_reason=why)
    engine = prepared.cluster.scheduler.engine
    address = members[controller].node.address or controller
    return ClusterState(
        name=prepared.cluster.name,
        nodes=tuple(known[name] for name in sorted(known, key=natural_key) if name in members),
        scheduler=SchedulerAccess(engine=engine, host=address if engine == "slurm" else ""),
    )


def _last(prepared: Prepared) -> tuple[NodeState, ...]:
    try:
        content = load_file(prepared.place.folder / "state.json")
    except FileNotFoundError:
        return ()
    return msgspec.json.decode(content, type=ClusterState).nodes


def _node(name: str, node_class: str, facts: NodeFacts, trouble: str) -> NodeState:
    return NodeState(
        name=name,
        node_class=node_class,
        state="unknown" if trouble else "idle",
        state_reason=trouble,
        cpus=facts.cpus_usable or facts.cpu.threads or 0,
        memory_bytes=facts.memory_usable_bytes or facts.memory.total_bytes or 0,
        accelerators=tuple(
            AcceleratorState(id=f"{one.vendor}:{index}", model=one.model or "", memory_bytes=one.memory_bytes)
            for index, one in enumerate(facts.accelerators)
        ),
    )
