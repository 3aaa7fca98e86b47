"""All that is judged within seconds, from what was found of each node and what the scheduler says."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from l0_infra.core.nodeset import natural_key
from l0_infra.core.units import format_count
from l1_podsys.gates.addresses import own_addresses
from l1_podsys.gates.catalogue import verdict
from l1_podsys.gates.clock import judge_clock_service, judge_offsets
from l1_podsys.gates.disks import judge_disks
from l1_podsys.gates.equal import judge_inspection, judge_pair
from l1_podsys.gates.look import Look
from l1_podsys.gates.mesh import Edge, judge_mesh
from l1_podsys.gates.network import judge_networks, usual_speeds
from l1_podsys.gates.scheduler import judge_munge, judge_scheduler, usual_version
from l1_podsys.gates.services import judge_names, judge_services, services_of
from l1_podsys.gates.storage import judge_storage
from l1_podsys.gates.view import Member, NodeView, controller_of
from l1_podsys.schemas import Cluster, Verdict
from l1_podsys.slurm import SlurmNode

__all__ = ["Scene", "in_order", "judge_quick"]


@dataclass(frozen=True, kw_only=True, slots=True)
class Scene:
    """What was found of the whole cluster."""

    views: tuple[NodeView, ...]
    peers: Mapping[str, tuple[Member, ...]]
    """Whom each node tried to reach."""
    tokens: Mapping[str, str] = field(default_factory=dict)
    """What was written on shared file systems, by mount point."""
    slurm: tuple[SlurmNode, ...] | None = None
    """The scheduler's nodes; None when it did not answer, and then `slurm_error` says how."""
    slurm_error: str = ""


def judge_quick(cluster: Cluster, scene: Scene) -> tuple[Verdict, ...]:
    """Judge every node; the verdicts stand in natural order of the nodes."""
    found = [
        *(_lost(view) for view in scene.views if view.lost),
        *_each(cluster, scene),
        *_together(cluster, scene),
        *_scheduler(cluster, scene),
    ]
    return in_order(found)


def in_order(verdicts: Sequence[Verdict]) -> tuple[Verdict, ...]:
    """Put verdicts in the natural order of their nodes."""
    return tuple(sorted(verdicts, key=lambda one: natural_key(one.node)))


def _lost(view: NodeView) -> Verdict:
    return verdict(view.name, "node.reachable", "critical", view.lost, hint=view.mend)


def _seen(scene: Scene) -> list[NodeView]:
    return [view for view in scene.views if not view.lost]


def _each(cluster: Cluster, scene: Scene) -> Iterator[Verdict]:
    """Judge what one node alone shows."""
    controller = controller_of(cluster).name
    speeds = usual_speeds(cluster, scene.views)
    sizes = _class_sizes(scene)
    others = {view.name: view.facts for view in scene.views if view.facts is not None}
    for view in _seen(scene):
        name, look = view.name, view.look
        yield verdict(name, "node.reachable", "ok", "answers")
        if view.facts is not None:
            yield judge_clock_service(name, view.facts.clock)
        if view.inspection is not None:
            yield from judge_inspection(view.inspection, class_size=sizes[view.member.node_class])
        ends = [others[peer.name] for peer in scene.peers.get(name, ()) if peer.name in others]
        yield from judge_networks(cluster, view, ends, speeds)
        if look is None or not look.whole:
            yield verdict(
                name, "node.reachable", "unknown", "it did not answer all that was asked", named="node.look"
            )
        if look is not None:
            services = services_of(cluster, view.member, controller=name == controller)
            yield from judge_disks(name, look)
            yield from judge_services(name, services, look)
            yield from judge_storage(cluster, name, look, dict(scene.tokens))
            yield from judge_munge(name, look)
            wanted = {
                peer.name: own_addresses(peer.address, others.get(peer.name))
                for peer in scene.peers.get(name, ())
            }
            yield from judge_names(name, wanted, look)


def _class_sizes(scene: Scene) -> Mapping[str, int]:
    classes = [view.member.node_class for view in _seen(scene)]
    return {name: classes.count(name) for name in classes}


def _together(cluster: Cluster, scene: Scene) -> Iterator[Verdict]:
    """Judge what only several nodes show."""
    seen = _seen(scene)
    yield from judge_offsets({view.name: view.offset for view in seen}, controller_of(cluster).name)
    for node_class in dict.fromkeys(view.member.node_class for view in seen):
        yield from judge_pair([view for view in seen if view.member.node_class == node_class])
    asked = [view for view in seen if view.look is not None and view.look.lines("mesh") is not None]
    looked = [view for view in asked if not _cannot_try(view)]
    for view in asked:
        if _cannot_try(view):
            yield verdict(view.name, "ssh.mesh", "unknown", "there is no ssh-keyscan to try it with")
    edges = [edge for view in looked for edge in _edges(view, scene.peers.get(view.name, ()))]
    yield from judge_mesh(edges, [view.name for view in looked])


def _cannot_try(view: NodeView) -> bool:
    return view.look is not None and "!missing" in (view.look.lines("mesh") or ())


def _edges(view: NodeView, peers: Sequence[Member]) -> Iterator[Edge]:
    look: Look | None = view.look
    lines = (look.lines("mesh") if look else None) or ()
    answered = {line.split("]")[0].lstrip("[") for line in lines}
    for peer in peers:
        yield Edge(source=view.name, target=peer.name, reached=peer.address in answered)


def _scheduler(cluster: Cluster, scene: Scene) -> Iterator[Verdict]:
    if cluster.scheduler.engine != "slurm":
        return
    controller = controller_of(cluster).name
    compute = [view for view in scene.views if "compute" in view.member.roles]
    if scene.slurm is None:
        yield verdict(controller, "scheduler.controller", "critical", scene.slurm_error or "no answer")
        why = "the controller does not answer"
        yield from (verdict(view.name, "scheduler.node", "unknown", why) for view in compute)
        return
    yield verdict(controller, "scheduler.controller", "ok", f"knows {format_count(len(scene.slurm), 'node')}")
    known, version = {node.name: node for node in scene.slurm}, usual_version(scene.slurm)
    for view in compute:
        yield from judge_scheduler(view.name, view.facts, known, version)
