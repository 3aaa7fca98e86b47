"""What bringing a cluster up would mean now: look at its nodes, plan, and say what is left to be done and why."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from time import time

import msgspec

from l0_infra import (
    Entry,
    Item,
    Ledger,
    Left,
    Look,
    Provisioned,
    RoleSheet,
    judge_left,
    load_roles,
    look_command,
    parse_look,
    plan_provision,
    probe_node,
    role_folder,
    role_key,
    things_of,
)
from l0_infra.core.errors import OgaiError, RemoteError
from l0_infra.core.exec import Runner
from l0_infra.schemas import NodeFacts, Plan, Step
from l1_podsys import BringupScene, Trait, cluster_members, controller_name, plan_bringup, trait_of
from l1_podsys.schemas import Cluster
from ogai.flows.cluster.membership import told_apart
from ogai.flows.cluster.nodes import Nodes
from ogai.flows.cluster.place import ClusterPlace
from ogai.flows.cluster.secrets import SecretDigests, ensure_secrets
from ogai.flows.node.lost import lost_of
from ogai.flows.node.survey import GRACE_S, LIMIT_S
from ogai.flows.wheel import own_wheel

__all__ = [
    "OnNode",
    "Prepared",
    "Roles",
    "load_all_roles",
    "look_at_things",
    "plan_cluster",
    "prepare",
]

LOOK_S = 90.0
PYTHON = (Item("file", "/usr/bin/python3"),)
"""What the step leaves that brings Python."""

OnNode = Callable[[str, float], None]
"""Called with the name of each node that was looked at, and the seconds it took."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Roles:
    """The roles of one node, and those that make many nodes one."""

    provision: Sequence[RoleSheet]
    bringup: Sequence[RoleSheet]

    @property
    def by_name(self) -> Mapping[str, RoleSheet]:
        """All of them."""
        return {sheet.role.name: sheet for sheet in (*self.provision, *self.bringup)}


@dataclass(frozen=True, kw_only=True, slots=True)
class Prepared:
    """A plan, and what of it is left. `lost` says of nodes why they could not be looked at."""

    cluster: Cluster
    place: ClusterPlace
    roles: Roles
    controller: str
    names: tuple[str, ...]
    plan: Plan
    left: Left
    facts: Mapping[str, NodeFacts] = field(default_factory=dict)
    entries: Mapping[str, Entry] = field(default_factory=dict)
    things: Mapping[str, tuple[Item, ...]] = field(default_factory=dict)
    looks: Mapping[str, Look] = field(default_factory=dict)
    lost: Mapping[str, str] = field(default_factory=dict)
    parted: tuple[str, ...] = ()
    """Whom the document brings back, drops or moves, compared with the one that was applied last, in words."""

    @property
    def steps_left(self) -> tuple[Step, ...]:
        """The steps that would be carried out."""
        return tuple(step for step in self.plan.steps if step.id in self.left.reasons)


@cache
def load_all_roles() -> Roles:
    """Read the roles that ogai brings."""
    return Roles(provision=load_roles(role_folder("l0_infra")), bringup=load_roles(role_folder("l1_podsys")))


def prepare(
    cluster: Cluster,
    place: ClusterPlace,
    names: Sequence[str],
    nodes: Nodes,
    ledger: Ledger,
    *,
    roles: Roles,
    sudo: bool,
    full: bool = False,
    anew: frozenset[str] = frozenset(),
    on_node: OnNode | None = None,
) -> Prepared:
    """Look at these nodes, and plan for them; the controller is one of them whether it is named or not.

    Of nodes in `anew` nothing counts as done.
    """
    controller = controller_name(cluster)
    chosen = tuple(dict.fromkeys((controller, *names)))
    facts, lost = _survey(chosen, nodes, sudo=sudo, on_node=on_node)
    traits = _note_traits(cluster, place, facts)
    ensure_secrets(place.secrets, None if controller in lost else nodes.runner(controller), sudo=sudo)
    wheel = own_wheel(place.home) if cluster.runtime.install else None
    plan = plan_cluster(cluster, place, chosen, roles, facts, traits, wheel)
    things = {
        **things_of(plan, roles.by_name),
        **{step.id: PYTHON for step in plan.steps if step.id.endswith(":python")},
    }
    looks = look_at_things(plan, things, [name for name in chosen if name not in lost], nodes, sudo=sudo)
    entries = ledger.entries(name for name in chosen if name not in anew)
    left = judge_left(plan, entries, looks, roles.by_name, things, full=full)
    return Prepared(
        cluster=cluster,
        place=place,
        roles=roles,
        controller=controller,
        names=chosen,
        plan=plan,
        left=_with_lost(plan, left, lost),
        facts=facts,
        entries=entries,
        things=things,
        looks=looks,
        lost=lost,
        parted=told_apart(place, cluster),
    )


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


def _survey(
    names: Sequence[str], nodes: Nodes, *, sudo: bool, on_node: OnNode | None
) -> tuple[dict[str, NodeFacts], dict[str, str]]:
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


def _note_traits(
    cluster: Cluster, place: ClusterPlace, facts: Mapping[str, NodeFacts]
) -> Mapping[str, Trait]:
    known, members = place.load_traits(), cluster_members(cluster)
    found = {name: trait_of(members[name].node, one, cluster) for name, one in facts.items()}
    traits = {name: trait for name, trait in (known | found).items() if name in members}
    if traits != known:
        place.save_traits(traits)
    return traits


def plan_cluster(
    cluster: Cluster,
    place: ClusterPlace,
    names: Sequence[str],
    roles: Roles,
    facts: Mapping[str, NodeFacts],
    traits: Mapping[str, Trait],
    wheel: Path | None = None,
) -> Plan:
    """Plan all roles for these nodes, from what was found of them now and of all nodes ever; `wheel` is ogai."""
    sheets = roles.by_name

    secrets = SecretDigests(place.secrets)

    def key_of(node: str, role: str, variables: Mapping[str, str]) -> str:
        return role_key(node, sheets[role].sha256 + secrets.of(variables), variables)

    scene = BringupScene(
        cluster=cluster,
        members=cluster_members(cluster),
        controller=controller_name(cluster),
        roles=[sheet.role for sheet in roles.bringup],
        key_of=key_of,
        secrets=secrets.folder,
        wheel=wheel,
        facts=facts,
        traits=traits,
    )
    wish = Provisioned(
        lead=scene.controller,
        lead_address=scene.address(scene.controller),
        time=cluster.time,
        tuning=cluster.tuning,
        packages=cluster.packages,
        unsteered=frozenset(name for name, trait in traits.items() if trait.container),
    )
    base = plan_provision(names, wish, roles.provision)
    above = plan_bringup(scene, names, others=[sheet.role.name for sheet in roles.provision])
    return Plan(title=above.title, steps=(*base.steps, *above.steps))


def _with_lost(plan: Plan, left: Left, lost: Mapping[str, str]) -> Left:
    """Take all steps of a node that could not be looked at for left: nobody knows what holds there."""
    unknown = {step.id: "could not be looked at" for step in plan.steps if step.node in lost}
    return Left(reasons={**unknown, **left.reasons}, adopted=left.adopted)
