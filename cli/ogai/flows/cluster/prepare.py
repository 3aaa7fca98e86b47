"""What bringing a cluster up would mean now: look at its nodes, plan, and say what is left to be done and why.

Nothing is written before the plan is agreed to; `settle` keeps what was found and made then.
"""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from secrets import token_hex

from l0_infra import Entry, Item, Ledger, Left, Look, judge_left, things_of
from l0_infra.schemas import NodeFacts, Plan, Step
from l1_podsys import Trait, cluster_members, controller_name, identity_among, trait_of
from l1_podsys.schemas import Cluster
from ogai.flows.cluster.membership import told_apart
from ogai.flows.cluster.nodes import Nodes
from ogai.flows.cluster.place import ClusterPlace
from ogai.flows.cluster.planned import plan_cluster
from ogai.flows.cluster.refused import refuse_absent, refuse_foreign, refuse_shorter, refuse_tangled
from ogai.flows.cluster.roles import Roles
from ogai.flows.cluster.secrets import ensure_secrets
from ogai.flows.cluster.survey import OnNode, look_at_things, survey_nodes
from ogai.flows.cluster.switches import NOT_LOOKED_FOR, Sighted, sight_switches
from ogai.flows.wheel import own_wheel, planned_wheel

__all__ = ["Prepared", "prepare", "settle"]

PYTHON = (Item("command", "test -x /usr/bin/python3 && echo there || echo absent"),)
"""What the step leaves that brings Python; an update of it by the distribution is no drift."""


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
    identity: str = ""
    """What tells the cluster from another of its name; `adopted`: it was found on nodes, and not known here."""
    adopted: bool = False
    wheel: Path | None = None
    """Where ogai itself lies, or will, packed for the nodes; None: it is not brought."""
    full: bool = False
    facts: Mapping[str, NodeFacts] = field(default_factory=dict)
    traits: Mapping[str, Trait] = field(default_factory=dict)
    entries: Mapping[str, Entry] = field(default_factory=dict)
    things: Mapping[str, tuple[Item, ...]] = field(default_factory=dict)
    looks: Mapping[str, Look] = field(default_factory=dict)
    lost: Mapping[str, str] = field(default_factory=dict)
    sighted: Sighted = NOT_LOOKED_FOR
    """The switches that were looked for, where the document leaves them to be found."""
    parted: tuple[str, ...] = ()
    """Whom the document brings back, drops or moves, compared with the one that was applied last, in words."""

    @property
    def steps_left(self) -> tuple[Step, ...]:
        """The steps that would be carried out."""
        return tuple(step for step in self.plan.steps if step.id in self.left.reasons)


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
    anew: Collection[str] = (),
    on_node: OnNode | None = None,
) -> Prepared:
    """Look at these nodes, and plan for them; the controller is one of them whether it is named or not.

    What was done on nodes of `anew` counts for nothing. Raises UnsatisfiableError for nodes of another cluster and for
    interfaces that no node has and for switches that are no tree, FactsMissingError where the scheduler would lose
    nodes that are not known any more and where no node tells of the fabric.
    """
    controller = controller_name(cluster)
    chosen = tuple(dict.fromkeys((controller, *names)))
    facts, lost = survey_nodes(chosen, nodes, sudo=sudo, on_node=on_node)
    known = place.load_identity()
    found = None if known else identity_among(cluster.name, facts)
    identity = known or found or token_hex(8)
    refuse_foreign(cluster, identity, facts)
    refuse_absent(cluster, facts)
    traits = _traits(cluster, place, facts)
    refuse_shorter(cluster, traits, ledger, chosen, adopted=found is not None)
    wheel = planned_wheel(place.home) if cluster.runtime.install else None
    sighted = sight_switches(cluster, place, facts, traits, nodes, sudo=sudo)
    refuse_tangled(cluster, sighted.found)
    plan = plan_cluster(
        cluster,
        place,
        chosen,
        roles,
        facts,
        traits,
        identity=identity,
        wheel=wheel,
        switches=sighted.found,
    )
    things = {
        **things_of(plan, roles.by_name),
        **{step.id: PYTHON for step in plan.steps if step.id.endswith(":python")},
    }
    looks = look_at_things(plan, things, [name for name in chosen if name not in lost], nodes, sudo=sudo)
    entries = ledger.entries([name for name in chosen if name not in anew])
    left = judge_left(plan, entries, looks, roles.by_name, things, full=full)
    return Prepared(
        cluster=cluster,
        place=place,
        roles=roles,
        controller=controller,
        names=chosen,
        plan=plan,
        left=_with_lost(plan, left, lost),
        identity=identity,
        wheel=wheel,
        adopted=found is not None,
        full=full,
        facts=facts,
        traits=traits,
        entries=entries,
        things=things,
        looks=looks,
        lost=lost,
        sighted=sighted,
        parted=told_apart(place, cluster),
    )


def settle(prepared: Prepared, nodes: Nodes, *, sudo: bool) -> Prepared:
    """Keep what was agreed to: the document, whose the nodes are, what was found of them, the secrets, ogai's wheel.

    Secrets that are missing are made now, and the plan anew, for a secret is part of what a step is known by.
    """
    one = prepared
    ready = one.place.has_secrets()
    controller = None if one.controller in one.lost else nodes.runner(one.controller)
    ensure_secrets(one.place.secrets, controller, sudo=sudo)
    if one.wheel is not None:
        own_wheel(one.place.home)
    one.place.save_identity(one.identity)
    if one.traits != one.place.load_traits():
        one.place.save_traits(one.traits)
    if one.sighted.fabric is not None:
        one.place.save_fabric(one.sighted.fabric)
    one.place.save(one.cluster)
    return one if ready else _planned_anew(one)


def _planned_anew(one: Prepared) -> Prepared:
    plan = plan_cluster(
        one.cluster,
        one.place,
        one.names,
        one.roles,
        one.facts,
        one.traits,
        identity=one.identity,
        wheel=one.wheel,
        switches=one.sighted.found,
    )
    left = judge_left(plan, one.entries, one.looks, one.roles.by_name, one.things, full=one.full)
    return replace(one, plan=plan, left=_with_lost(plan, left, one.lost))


def _traits(cluster: Cluster, place: ClusterPlace, facts: Mapping[str, NodeFacts]) -> Mapping[str, Trait]:
    """Return what is known of the members: what was found now, else what was found before."""
    members = cluster_members(cluster)
    kept = place.load_traits()
    found = {
        name: trait_of(members[name].node, one, cluster).after(kept.get(name)) for name, one in facts.items()
    }
    return {name: trait for name, trait in (kept | found).items() if name in members}


def _with_lost(plan: Plan, left: Left, lost: Mapping[str, str]) -> Left:
    """Take all steps of a node that could not be looked at for left: nobody knows what holds there."""
    unknown = {step.id: "could not be looked at" for step in plan.steps if step.node in lost}
    return Left(reasons={**unknown, **left.reasons}, adopted=left.adopted)
