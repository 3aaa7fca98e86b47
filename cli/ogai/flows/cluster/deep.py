"""The deeper levels of a check: nodes measured, once or for hours, and what they told of themselves meanwhile."""

from collections.abc import Callable
from functools import partial
from time import monotonic
from typing import Literal

from l0_infra import load_devices
from l1_podsys import (
    GateRecord,
    MeasuredCluster,
    NodeView,
    Scene,
    judge_meanwhile,
    measure_cluster,
    verdict,
    worst_of,
)
from l1_podsys.schemas import Cluster, Verdict
from ogai.flows.cluster.look import look_at_nodes
from ogai.flows.cluster.nodes import Nodes

__all__ = ["go_deep"]


def go_deep(
    cluster: Cluster,
    scene: Scene,
    nodes: Nodes,
    record: GateRecord,
    *,
    level: Literal["medium", "burnin"],
    minutes: float,
    on_round: Callable[[str], None],
) -> MeasuredCluster:
    """Measure once, or again and again until the minutes are over; the worst verdict of each check counts."""
    end = monotonic() + minutes * 60
    measure = partial(measure_cluster, cluster, scene, nodes.reach, on_round=on_round, sheets=load_devices())
    rounds = [measure(record, level=level, seed=0)]
    while level == "burnin" and monotonic() < end:
        rounds.append(measure(rounds[-1].record, seed=len(rounds)))
    found = worst_of([one.verdicts for one in rounds])
    if level == "burnin":
        found = (*found, *_meanwhile(cluster, scene, nodes, record))
    return MeasuredCluster(verdicts=found, record=rounds[-1].record)


def _meanwhile(cluster: Cluster, scene: Scene, nodes: Nodes, record: GateRecord) -> tuple[Verdict, ...]:
    """Look at the nodes again and compare with what they were before."""
    before = {view.name: view for view in scene.views if not view.lost}
    after = look_at_nodes(cluster, list(before), nodes, record, None)
    return tuple(one for view in after for one in _of(before[view.name], view))


def _of(before: NodeView, after: NodeView) -> tuple[Verdict, ...]:
    if before.facts is None or after.facts is None:
        words = f"no answer after the load: {after.lost}"
        return (verdict(after.name, "node.reachable", "critical", words),)
    return tuple(judge_meanwhile(after.name, before.facts, after.facts))
