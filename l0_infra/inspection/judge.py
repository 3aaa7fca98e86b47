"""Judge one node by rules: what is broken, what holds, what cannot be known."""

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from l0_infra.inspection.conditions import holds
from l0_infra.inspection.derived import derive
from l0_infra.inspection.fields import Subject, describe, entries, fill
from l0_infra.schemas import SEVERITIES, Finding, Inspection, NodeFacts, Rule, Undecided

__all__ = ["judge_node", "make_finding"]


@dataclass(slots=True)
class _Verdicts:
    findings: list[Finding] = field(default_factory=list)
    undecided: list[Undecided] = field(default_factory=list)
    passed: list[str] = field(default_factory=list)


def judge_node(facts: NodeFacts, rules: Sequence[Rule]) -> Inspection:
    """Judge a node by every rule about one node; those about a class are left to `judge_class`."""
    whole = Subject(facts=facts, derived=derive(facts))
    verdicts = _Verdicts()
    for rule in rules:
        if rule.alike is None or rule.among == "node":
            _judge(rule, whole, verdicts)
    return Inspection(
        node=facts.node or facts.hostname or "node",
        facts_at=facts.probed_at,
        findings=tuple(sorted(verdicts.findings, key=lambda one: SEVERITIES.index(one.severity))),
        undecided=tuple(verdicts.undecided),
        passed=tuple(verdicts.passed),
    )


def _judge(rule: Rule, whole: Subject, verdicts: _Verdicts) -> None:
    subjects = _subjects(rule, whole)
    if subjects is None:
        verdicts.undecided.append(Undecided(rule=rule.id, subject="node", why=f"{rule.each} not read"))
        return
    unknown_before = len(verdicts.undecided)
    found = list(_odd_entries(rule, subjects) if rule.alike else _broken(rule, subjects, verdicts))
    verdicts.findings += found
    applies = bool(subjects) or not (rule.expect or rule.alike)
    if applies and not found and len(verdicts.undecided) == unknown_before:
        verdicts.passed.append(rule.id)


def _subjects(rule: Rule, whole: Subject) -> list[Subject] | None:
    """List what the rule applies to; None when the list it is about is unknown."""
    listed = (whole,) if rule.each is None else entries(whole, rule.each)
    if listed is None:
        return None
    return [one for one in listed if all(holds(condition, one) for condition in rule.where)]


def _broken(rule: Rule, subjects: Sequence[Subject], verdicts: _Verdicts) -> Iterator[Finding]:
    for subject in subjects:
        judged = [(condition.field, holds(condition, subject)) for condition in rule.expect]
        bad = next((name for name, verdict in judged if verdict is False), None)
        if bad is not None or not rule.expect:
            value = "" if bad is None else describe(bad, subject.value(bad))
            yield make_finding(rule, subject, value)
            continue
        unknown = next((name for name, verdict in judged if verdict is None), None)
        if unknown is not None:
            verdicts.undecided.append(
                Undecided(rule=rule.id, subject=subject.name(), why=f"{unknown} is unknown")
            )


def _odd_entries(rule: Rule, subjects: Sequence[Subject]) -> Iterator[Finding]:
    """Yield the entries that differ from what most are; nothing when no value is that of most."""
    assert rule.alike is not None
    values = [(subject, subject.value(rule.alike)) for subject in subjects]
    counts = Counter(value for _, value in values if value is not None)
    if len(counts) < 2:
        return
    (usual, often), *_ = counts.most_common(1)
    if often * 2 <= counts.total():
        return
    for subject, value in values:
        if value not in (None, usual):
            yield make_finding(rule, subject, describe(rule.alike, value), usual=describe(rule.alike, usual))


def make_finding(rule: Rule, subject: Subject, value: str, *, usual: str = "") -> Finding:
    """Put what was found into the rule's words."""
    return Finding(
        rule=rule.id,
        severity=rule.severity,
        subject=subject.name(),
        what=fill(rule.what, subject, value),
        found=fill(rule.found, subject, value) or "unknown",
        expected=fill(rule.expected.replace("{usual}", usual), subject, value),
        why=fill(rule.why, subject, value),
        mend=fill(rule.mend, subject, value),
        source=fill(rule.source, subject, value),
    )
