"""Looks at nodes before and after a bring-up: their facts, and what roles left there; one round trip each."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from time import time

import msgspec

from l0_infra import Item, Look, look_command, parse_look, probe_node
from l0_infra.core.errors import OgaiError, RemoteError
from l0_infra.core.exec import Runner
from l0_infra.schemas import NodeFacts, Plan
from ogai.flows.cluster.nodes import Nodes
from ogai.flows.node.lost import lost_of
from ogai.flows.node.survey import GRACE_S, LIMIT_S

__all__ = ["OnNode", "look_at_things", "survey_nodes"]

LOOK_S = 90.0

OnNode = Callable[[str, float], None]
"""Called with the name of each node that was looked at, and the seconds it took."""


def look_at_things(
    plan: Plan, things: Mapping[str, Iterable[Item]], names: Sequence[str], nodes: Nodes, *, sudo: bool
) -> Mapping[str, Look]:
    """Look at what roles leave on nodes, one round trip each; a node that does not answer has no look."""
    asked: dict[str, list[Item]] = {name: [] for name in names}
    for step in plan.steps:
        if step.node in asked:
            asked[step.node].extend(things.get(step.id, ()))

    def work(name: str, runner: Runner) -> Look:
        outcome = runner.run(look_command(asked[name], sudo=sudo))
        look = parse_look(outcome.stdout)
        if look is None:
            outcome.check()
            raise RemoteError(name, found="an answer that was cut off", expected="a look at what roles left")
        return look

    found = nodes.reach([name for name in names if asked[name]], work, limit_s=LOOK_S)
    return {name: look for name, look in found.items() if isinstance(look, Look)}


def survey_nodes(
    names: Sequence[str], nodes: Nodes, *, sudo: bool, on_node: OnNode | None
) -> tuple[dict[str, NodeFacts], dict[str, str]]:
    """Take the facts of nodes, and say of those that cannot be looked at why not."""

    def work(name: str, runner: Runner) -> NodeFacts:
        facts = probe_node(runner, time(), limit_s=LIMIT_S, sudo=sudo)
        return msgspec.structs.replace(facts, node=name)

    facts, lost = dict[str, NodeFacts](), dict[str, str]()
    for name, found in nodes.reach(names, work, limit_s=LIMIT_S + GRACE_S, on_done=on_node).items():
        if isinstance(found, OgaiError):
            lost[name] = f"{found.found}{f' ({found.hint})' if found.hint else ''}"
        elif why := lost_of(found):
            lost[name] = f"{why.reason}: {why.detail}"
        else:
            facts[name] = found
    return facts, lost
