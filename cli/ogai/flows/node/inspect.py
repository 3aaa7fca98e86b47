"""What is wrong with nodes: each judged by itself, and against the others of its class."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import msgspec

from l0_infra import judge_class, judge_node, load_rules
from l0_infra.core.errors import UnhealthyError
from l0_infra.schemas import SEVERITIES, Finding, Inspection, NodeFacts, Rule
from ogai.flows.node.bundles import Left, facts_in
from ogai.flows.node.facts import facts_of_targets
from ogai.flows.node.lost import lost_of, name_all, raise_for_lost
from ogai.flows.node.survey import LIMIT_S, OnLooked
from ogai.flows.node.targets import choose_targets

__all__ = ["Inspected", "inspect", "inspect_bundle", "judge", "raise_for_findings"]

UNHEALTHY = frozenset(("fatal", "error"))


@dataclass(frozen=True, kw_only=True, slots=True)
class Inspected:
    """Nodes that were judged, and the facts that they were judged by, in the same order."""

    inspections: tuple[Inspection, ...]
    facts: tuple[NodeFacts, ...]


def inspect(
    nodes: str | None = None,
    *,
    hosts: str | None = None,
    cluster: str | Path | None = None,
    sudo: bool = False,
    rules: str | Path | None = None,
    limit_s: int = LIMIT_S,
    on_looked: OnLooked | None = None,
) -> Inspected:
    """Look at nodes and judge them by the rules, with those of a file `rules` in the place of any of the same id.

    Which nodes are meant, and what is raised, is as for `facts`; hosts are one class of equal nodes.
    """
    known = load_rules(None if rules is None else Path(rules))
    targets = choose_targets(
        nodes, hosts=hosts, cluster=None if cluster is None else Path(cluster), sudo=sudo
    )
    found = facts_of_targets(targets, limit_s=limit_s, on_looked=on_looked)
    return judge(found, known, classes=[target.node_class for target in targets])


def inspect_bundle(bundle: Path, *, rules: Path | None = None) -> tuple[Inspected, tuple[Left, ...]]:
    """Judge the nodes of a support bundle, one class of equal ones, and say which of its files told nothing."""
    known = load_rules(rules)
    found, left = facts_in(bundle)
    return judge(found, known), left


def judge(
    facts: Sequence[NodeFacts], rules: Sequence[Rule], *, classes: Sequence[str] | None = None
) -> Inspected:
    """Judge nodes one by one and against those of their class; without `classes` they are one class."""
    odd: dict[int, tuple[Finding, ...]] = {}
    for members in _members(classes or ["default"] * len(facts)).values():
        of_class = judge_class([facts[index] for index in members], rules)
        odd |= {members[position]: findings for position, findings in of_class.items()}
    inspections = (_with(judge_node(one, rules), odd.get(index, ())) for index, one in enumerate(facts))
    return Inspected(inspections=tuple(inspections), facts=tuple(facts))


def raise_for_findings(inspected: Inspected) -> None:
    """Raise UnhealthyError for a fatal fault or an error, else FactsMissingError for a node not looked at."""
    sick = [
        judged.node
        for judged, facts in zip(inspected.inspections, inspected.facts, strict=True)
        if not lost_of(facts) and any(found.severity in UNHEALTHY for found in judged.findings)
    ]
    if sick:
        raise UnhealthyError(
            "ogai node inspect",
            found=f"faults of {name_all(sick)}",
            expected="no fatal fault and no error",
            hint="each finding above says how to mend it",
        )
    raise_for_lost(inspected.facts)


def _members(classes: Sequence[str]) -> Mapping[str, list[int]]:
    members: dict[str, list[int]] = {}
    for index, name in enumerate(classes):
        members.setdefault(name, []).append(index)
    return members


def _with(inspection: Inspection, odd: tuple[Finding, ...]) -> Inspection:
    findings = sorted((*inspection.findings, *odd), key=lambda found: SEVERITIES.index(found.severity))
    return msgspec.structs.replace(inspection, findings=tuple(findings))
