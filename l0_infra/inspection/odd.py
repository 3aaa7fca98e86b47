"""The odd one out: nodes of one class should be alike, and who differs from most of them is told."""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from l0_infra.inspection.conditions import holds
from l0_infra.inspection.derived import Derived, derive
from l0_infra.inspection.fields import Subject, describe, entries
from l0_infra.inspection.judge import make_finding
from l0_infra.schemas import Finding, NodeFacts, Rule

__all__ = ["judge_class"]

FEWEST = 3
"""Of two that differ nobody can say which is the odd one."""


@dataclass(frozen=True, kw_only=True, slots=True)
class _Look:
    """What one node is like under one rule; empty when that is not known."""

    subject: Subject
    likeness: str


def judge_class(nodes: Sequence[NodeFacts], rules: Sequence[Rule]) -> Mapping[int, tuple[Finding, ...]]:
    """Judge nodes of one class by the rules about classes: findings by the position of the node.

    A value is the usual one when more than half of the nodes that tell have it; without one nobody is odd.
    """
    derived = [derive(facts) for facts in nodes]
    found: dict[int, list[Finding]] = {}
    for rule in rules:
        if rule.alike is not None and rule.among == "class":
            for index, finding in _odd_nodes(rule, nodes, derived):
                found.setdefault(index, []).append(finding)
    return {index: tuple(findings) for index, findings in found.items()}


def _odd_nodes(
    rule: Rule, nodes: Sequence[NodeFacts], derived: Sequence[Derived]
) -> Iterator[tuple[int, Finding]]:
    looks = [_look(rule, Subject(facts=facts, derived=of)) for facts, of in zip(nodes, derived, strict=True)]
    counts = Counter(look.likeness for look in looks if look.likeness)
    if counts.total() < FEWEST or len(counts) < 2:
        return
    (usual, often), *_ = counts.most_common(1)
    if often * 2 <= counts.total():
        return
    for index, look in enumerate(looks):
        if look.likeness and look.likeness != usual:
            words = f"{usual}, as {often} of {counts.total()} nodes"
            yield index, make_finding(rule, look.subject, look.likeness, usual=words)


def _look(rule: Rule, whole: Subject) -> _Look:
    """Write what a node is like: its value, or how often each value stands in the list that the rule is about."""
    assert rule.alike is not None
    if rule.each is None:
        value = whole.value(rule.alike)
        return _Look(subject=whole, likeness="" if value is None else describe(rule.alike, value))
    listed = entries(whole, rule.each)
    if listed is None:
        return _Look(subject=whole, likeness="")
    chosen = [one for one in listed if all(holds(condition, one) for condition in rule.where)]
    counts = Counter(describe(rule.alike, one.value(rule.alike)) for one in chosen)
    words = (f"{count} × {value}" if count > 1 else value for value, count in sorted(counts.items()))
    return _Look(subject=whole, likeness=", ".join(words) or "none")
