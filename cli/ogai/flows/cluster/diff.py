"""How a cluster differs from its document: what would be done, and what of each role was found otherwise."""

from collections.abc import Sequence
from pathlib import Path

import msgspec

from l0_infra import UNTOLD, Entry
from l0_infra.core.exec import Secret
from l0_infra.core.nodeset import expand
from l0_infra.schemas import Step
from l1_podsys import FoundSwitches, Misplaced
from ogai.flows.cluster.prepare import Prepared, prepare
from ogai.flows.cluster.refused import raise_for_lost
from ogai.flows.cluster.roles import Roles, load_all_roles
from ogai.flows.cluster.survey import OnNode
from ogai.flows.cluster.switches import misplaced_nodes
from ogai.flows.cluster.work import Work, wanted_cluster, work_on
from ogai.flows.node.targets import targets_of_cluster

__all__ = ["Deviation", "Deviations", "describe_switches", "diff", "raise_for_unseen"]


SWITCHES = "switches"
"""Stands for the role where a node hangs on another switch."""


class Deviation(msgspec.Struct, frozen=True, kw_only=True):
    """One role on one node that would be applied, and why; or one thing of it, as it was left and as it was found."""

    node: str
    name: str
    reason: str
    what: str = ""
    left: str = ""
    found: str = ""


class Deviations(msgspec.Struct, frozen=True, kw_only=True):
    """What deviates; `unseen` says of nodes why they could not be looked at, `strangers` are known but not wished."""

    cluster: str
    nodes: int
    deviations: tuple[Deviation, ...] = ()
    unseen: dict[str, str] = {}
    strangers: tuple[str, ...] = ()


def diff(
    file: str | Path | None = None,
    *,
    name: str | None = None,
    limit: str | None = None,
    password: Secret | None = None,
    roles: Roles | None = None,
    on_node: OnNode | None = None,
) -> Deviations:
    """Compare what is wished with what was done and with what is found on the nodes now; nothing is written."""
    cluster, place = wanted_cluster(None if file is None else Path(file), name)
    names = [str(target.name) for target in targets_of_cluster(cluster, limit)]
    with work_on(cluster, place, "ogai cluster diff", password=password, dry_run=True) as work:
        prepared = prepare(
            cluster,
            place,
            names,
            work.nodes,
            work.ledger,
            roles=roles or load_all_roles(),
            sudo=work.sudo,
            on_node=on_node,
        )
        known = work.ledger.nodes()
        elsewhere = _elsewhere(prepared, work)
    wished = {str(target.name) for target in targets_of_cluster(cluster)}
    return Deviations(
        cluster=cluster.name,
        nodes=len(prepared.names),
        deviations=(
            *(
                one
                for step in prepared.steps_left
                if step.node not in prepared.lost
                for one in _deviations(prepared, step)
            ),
            *elsewhere,
        ),
        unseen=dict(prepared.lost),
        strangers=tuple(node for node in known if node not in wished),
    )


def raise_for_unseen(deviations: Deviations) -> None:
    """Raise FactsMissingError when a node could not be looked at."""
    raise_for_lost(deviations.unseen)


def _deviations(prepared: Prepared, step: Step) -> tuple[Deviation, ...]:
    name, reason = step.id.partition(":")[2], prepared.left.reasons[step.id]
    entry, look = prepared.entries.get(step.id), prepared.looks.get(step.node)
    things = prepared.things.get(step.id, ())
    if entry is not None and look is not None and things and _by_what_was_found(reason):
        return tuple(
            Deviation(node=step.node, name=name, reason=reason, what=what, left=left, found=found)
            for what, left, found in _moved(entry, look.of(things))
        ) or (Deviation(node=step.node, name=name, reason=reason),)
    return (Deviation(node=step.node, name=name, reason=reason),)


def _elsewhere(one: Prepared, work: Work) -> tuple[Deviation, ...]:
    found, misplaced = misplaced_nodes(
        one.cluster, one.place, one.sighted, one.facts, one.traits, work.nodes, sudo=work.sudo
    )
    return describe_switches(found, misplaced)


def describe_switches(found: FoundSwitches | None, misplaced: Sequence[Misplaced]) -> tuple[Deviation, ...]:
    """Tell who hangs on another switch than was written, and what of the switches contradicts itself."""
    conflicts = found.conflicts if found is not None else ()
    return (
        *(
            Deviation(
                node=each.node,
                name=SWITCHES,
                reason="on another switch than written",
                what="leaf switch",
                left=each.written,
                found=each.found,
            )
            for each in misplaced
        ),
        *(
            Deviation(node=name, name=SWITCHES, reason=f"{each.found}; {each.hint}")
            for each in conflicts
            for name in expand(each.where)
        ),
    )


def _by_what_was_found(reason: str) -> bool:
    return reason.startswith(("drifted", "does not hold"))


def _moved(entry: Entry, found: dict[str, str]) -> list[tuple[str, str, str]]:
    before = entry.found_items()
    return [
        (what, before.get(what, ""), found.get(what, "absent"))
        for what in sorted({*before, *found})
        if before.get(what) != found.get(what) and found.get(what) != UNTOLD
    ]
