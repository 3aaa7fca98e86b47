"""Check a cluster: look at every node, judge, and tell what is wrong and how it is mended."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from time import time
from typing import Literal

import msgspec

from l0_infra import load_rules, probe_node
from l0_infra.core.documents import read_document
from l0_infra.core.errors import OgaiError
from l0_infra.core.exec import Runner
from l0_infra.schemas import NodeFacts
from l1_podsys import NodeView, judge_quick, members_of, needs_sudo, probe_offset, probe_scene
from l1_podsys.schemas import Cluster, Health
from ogai.flows.cluster.nodes import Nodes
from ogai.flows.node.inspect import judge
from ogai.flows.node.survey import GRACE_S, LIMIT_S
from ogai.flows.node.targets import choose_targets

__all__ = ["Checked", "Level", "check"]

Level = Literal["quick", "medium", "burnin"]


@dataclass(frozen=True, kw_only=True, slots=True)
class Checked:
    """What came of a check."""

    health: Health


def check(
    nodes: str | None = None,
    *,
    cluster: str | Path,
    level: Level = "quick",
    on_looked: Callable[[str, float], None] | None = None,
) -> Checked:
    """Check the nodes of a cluster document, or some of them.

    A node that does not answer has a verdict that says so. Raises UsageError and DocumentError for what is meant badly.
    """
    wanted = read_document(Path(cluster), expect=Cluster)
    chosen = [str(target.name) for target in choose_targets(nodes, cluster=Path(cluster))]
    with Nodes(choose_targets(cluster=Path(cluster))) as reached:
        begun = time()
        views = _look(wanted, chosen, reached, on_looked)
        scene = probe_scene(wanted, views, reached.reach, seed=int(begun))
    verdicts = judge_quick(wanted, scene)
    return Checked(health=Health(cluster=wanted.name, level=level, checked_at=begun, verdicts=verdicts))


def _look(
    cluster: Cluster, names: Sequence[str], nodes: Nodes, on_looked: Callable[[str, float], None] | None
) -> tuple[NodeView, ...]:
    """Take the facts and the time of every node, and judge them by the rules."""
    sudo = needs_sudo(cluster)

    def work(name: str, runner: Runner) -> NodeView:
        facts = probe_node(runner, time(), limit_s=LIMIT_S, sudo=sudo)
        offset = probe_offset(runner, time)
        return NodeView(member=members[name], facts=msgspec.structs.replace(facts, node=name), offset=offset)

    members = {member.name: member for member in members_of(cluster, names)}
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
