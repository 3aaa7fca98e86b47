"""Look at the nodes of a cluster: facts and time in one visit each, judged by the rules."""

from collections.abc import Callable, Sequence
from time import time

import msgspec

from l0_infra import load_rules, probe_node
from l0_infra.core.errors import OgaiError
from l0_infra.core.exec import Runner
from l0_infra.schemas import NodeFacts
from l1_podsys import GateRecord, NodeView, forget_events, members_of, needs_sudo, probe_offset
from l1_podsys.schemas import Cluster
from ogai.flows.cluster.nodes import Nodes
from ogai.flows.node.inspect import judge
from ogai.flows.node.lost import lost_of
from ogai.flows.node.survey import GRACE_S, LIMIT_S

__all__ = ["OnNode", "look_at_nodes"]

OnNode = Callable[[str, float], None]
"""Called with the name of each node when it was looked at, and the seconds that took."""


def look_at_nodes(
    cluster: Cluster, names: Sequence[str], nodes: Nodes, record: GateRecord, on_looked: OnNode | None
) -> tuple[NodeView, ...]:
    """Take the facts and the time of every node, and judge them by the rules."""
    sudo = needs_sudo(cluster)
    members = {member.name: member for member in members_of(cluster, names)}

    def work(name: str, runner: Runner) -> NodeView:
        facts = probe_node(runner, time(), limit_s=LIMIT_S, sudo=sudo)
        if why := lost_of(facts):
            return NodeView(member=members[name], lost=f"{why.reason}: {why.detail}", mend=why.hint)
        facts = forget_events(facts, before=record.given_back_at.get(name))
        offset = probe_offset(runner, time)
        return NodeView(member=members[name], facts=msgspec.structs.replace(facts, node=name), offset=offset)

    found = nodes.reach(list(members), work, limit_s=LIMIT_S + GRACE_S, on_done=on_looked)
    return _inspected(
        [
            NodeView(member=members[name], lost=one.found, mend=one.hint)
            if isinstance(one, OgaiError)
            else one
            for name, one in found.items()
        ]
    )


def _inspected(views: Sequence[NodeView]) -> tuple[NodeView, ...]:
    facts: list[NodeFacts] = [view.facts for view in views if view.facts is not None]
    classes = [view.member.node_class for view in views if view.facts is not None]
    judged = judge(facts, load_rules(None), classes=classes).inspections if facts else ()
    by_name = {one.node: one for one in judged}
    return tuple(view.inspected(by_name.get(view.name)) for view in views)
