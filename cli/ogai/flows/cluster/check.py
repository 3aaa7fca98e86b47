"""Check a cluster: look at every node, judge, take out of work what fails, and keep what was observed."""

from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path
from time import time
from typing import Literal

from l0_infra.core.exec import Secret
from l1_podsys import in_order, judge_quick, load_record, observe_cluster, probe_scene, save_record
from l1_podsys.schemas import Cluster, ClusterState, Health
from ogai.flows.cluster.act import act_on
from ogai.flows.cluster.deep import go_deep
from ogai.flows.cluster.look import OnNode, look_at_nodes
from ogai.flows.cluster.nodes import Nodes
from ogai.flows.cluster.place import place_of
from ogai.flows.cluster.places import cluster_folder, save_state, wanted_cluster
from ogai.flows.node.targets import targets_of_cluster

__all__ = ["Checked", "Level", "OnNode", "check", "check_cluster"]

Level = Literal["quick", "medium", "burnin"]

BURNIN_MINUTES = 60.0


@dataclass(frozen=True, kw_only=True, slots=True)
class Checked:
    """What came of a check: the verdicts, and what the cluster offers now."""

    health: Health
    state: ClusterState


def check(
    nodes: str | None = None,
    *,
    cluster: str | Path | None = None,
    level: Level = "quick",
    minutes: float = BURNIN_MINUTES,
    drain: bool | None = None,
    password: Secret | None = None,
    on_looked: OnNode | None = None,
    on_round: Callable[[str], None] = lambda _: None,
) -> Checked:
    """Check the nodes of a cluster document (None: of the current cluster), or some of them.

    `level`: `quick` takes seconds, `medium` minutes, `burnin` at least `minutes`. `drain`: whether compute nodes
    that fail are taken out of work; None: as the document says. `password` is sudo's. A node that does not answer has
    a verdict that says so. Raises UsageError and DocumentError for what is meant badly.
    """
    wanted = wanted_cluster(cluster)
    return check_cluster(
        wanted,
        nodes,
        level=level,
        minutes=minutes,
        drain=drain,
        password=password,
        on_looked=on_looked,
        on_round=on_round,
    )


def check_cluster(
    cluster: Cluster,
    nodes: str | None = None,
    *,
    level: Level = "quick",
    minutes: float = BURNIN_MINUTES,
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
        views = look_at_nodes(cluster, chosen, reached, record, on_looked)
        scene = probe_scene(cluster, views, reached.reach, seed=int(begun))
        verdicts = judge_quick(cluster, scene)
        if level != "quick":
            deep = go_deep(cluster, scene, reached, record, level=level, minutes=minutes, on_round=on_round)
            verdicts = in_order((*verdicts, *deep.verdicts))
            save_record(path, deep.record)
        health = Health(cluster=cluster.name, level=level, checked_at=begun, verdicts=verdicts)
        wanted = cluster.gates.drain if drain is None else drain
        health, slurm = act_on(cluster, health, scene, reached, drain=wanted)
    state = save_state(cluster, observe_cluster(cluster, replace(scene, slurm=slurm)))
    place_of(cluster.name).save_health(health, chosen)
    return Checked(health=health, state=state)
