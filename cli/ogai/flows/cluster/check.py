"""Check a cluster: look at every node, judge, take out of work what fails, and keep what was observed."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from time import time
from typing import Literal

import msgspec

from l0_infra import load_rules, probe_node
from l0_infra.core.documents import read_document
from l0_infra.core.errors import OgaiError
from l0_infra.core.exec import Runner, Secret
from l0_infra.schemas import NodeFacts
from l1_podsys import (
    GateRecord,
    NodeView,
    forget_events,
    in_order,
    judge_quick,
    load_record,
    measure_cluster,
    members_of,
    needs_sudo,
    observe_cluster,
    probe_offset,
    probe_scene,
    save_record,
)
from l1_podsys.schemas import Cluster, ClusterState, Health
from ogai.flows.cluster.act import act_on
from ogai.flows.cluster.nodes import Nodes
from ogai.flows.cluster.places import cluster_folder, save_state
from ogai.flows.node.inspect import judge
from ogai.flows.node.survey import GRACE_S, LIMIT_S
from ogai.flows.node.targets import targets_of_cluster

__all__ = ["Checked", "Level", "OnNode", "check", "check_cluster"]

Level = Literal["quick", "medium", "burnin"]
OnNode = Callable[[str, float], None]
"""Called with the name of each node when it was looked at, and the seconds that took."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Checked:
    """What came of a check: the verdicts, and what the cluster offers now."""

    health: Health
    state: ClusterState


def check(
    nodes: str | None = None,
    *,
    cluster: str | Path,
    level: Level = "quick",
    drain: bool | None = None,
    on_looked: OnNode | None = None,
    on_round: Callable[[str], None] = lambda _: None,
) -> Checked:
    """Check the nodes of a cluster document, or some of them; `drain` as the document says when None.

    A node that does not answer has a verdict that says so. Raises UsageError and DocumentError for what is meant
    badly.
    """
    wanted = read_document(Path(cluster), expect=Cluster)
    return check_cluster(wanted, nodes, level=level, drain=drain, on_looked=on_looked, on_round=on_round)


def check_cluster(
    cluster: Cluster,
    nodes: str | None = None,
    *,
    level: Level = "quick",
    drain: bool | None = None,
    password: Secret | None = None,
    on_looked: OnNode | None = None,
    on_round: Callable[[str], None] = lambda _: None,
) -> Checked:
    """Check a cluster as `check` does; what was observed is saved, fit or not."""
    chosen = [str(target.name) for target in targets_of_cluster(cluster, nodes)]
    path = cluster_folder(cluster.name) / "gates.json"
    record, begun = load_record(path), time()
    with Nodes(targets_of_cluster(cluster, password=password)) as reached:
        views = _look(cluster, chosen, reached, record, on_looked)
        scene = probe_scene(cluster, views, reached.reach, seed=int(begun))
        verdicts = judge_quick(cluster, scene)
        if level != "quick":
            measured = measure_cluster(
                cluster, scene, reached.reach, record, seed=int(begun), on_round=on_round
            )
            verdicts = in_order((*verdicts, *measured.verdicts))
            save_record(path, measured.record)
        health = Health(cluster=cluster.name, level=level, checked_at=begun, verdicts=verdicts)
        wanted = cluster.gates.drain if drain is None else drain
        health, slurm = act_on(cluster, health, scene, reached, drain=wanted)
    state = observe_cluster(cluster, replace(scene, slurm=slurm))
    save_state(state)
    return Checked(health=health, state=state)


def _look(
    cluster: Cluster, names: Sequence[str], nodes: Nodes, record: GateRecord, on_looked: OnNode | None
) -> tuple[NodeView, ...]:
    """Take the facts and the time of every node, and judge them by the rules."""
    sudo = needs_sudo(cluster)
    members = {member.name: member for member in members_of(cluster, names)}

    def work(name: str, runner: Runner) -> NodeView:
        facts = probe_node(runner, time(), limit_s=LIMIT_S, sudo=sudo)
        facts = forget_events(facts, before=record.given_back_at.get(name))
        offset = probe_offset(runner, time)
        return NodeView(member=members[name], facts=msgspec.structs.replace(facts, node=name), offset=offset)

    found = nodes.reach(list(members), work, limit_s=LIMIT_S + GRACE_S, on_done=on_looked)
    return _inspected(
        [
            NodeView(member=members[name], lost=one.found) if isinstance(one, OgaiError) else one
            for name, one in found.items()
        ]
    )


def _inspected(views: Sequence[NodeView]) -> tuple[NodeView, ...]:
    facts: list[NodeFacts] = [view.facts for view in views if view.facts is not None]
    classes = [view.member.node_class for view in views if view.facts is not None]
    judged = judge(facts, load_rules(None), classes=classes).inspections if facts else ()
    by_name = {one.node: one for one in judged}
    return tuple(view.inspected(by_name.get(view.name)) for view in views)
