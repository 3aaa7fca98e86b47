"""What is wrong with nodes, in words: like findings of many nodes are told once."""

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from l0_infra.core.nodeset import fold, natural_key
from l0_infra.core.units import format_count
from l0_infra.schemas import Finding, Inspection
from ogai.render.table import print_fields

__all__ = ["describe_inspected", "print_inspected"]

ORDER = ("fatal", "error", "warning", "notice")

Field = tuple[str, str]
Key = tuple[str, str, str]


@dataclass(slots=True)
class _Group:
    """One finding, and all nodes and parts of them that share it."""

    finding: Finding
    nodes: list[str]
    subjects: list[str]


def print_inspected(inspections: Sequence[Inspection]) -> None:
    """Print findings, worst first, and what could not be judged, on stdout."""
    print_fields(list(describe_inspected(inspections)))


def describe_inspected(inspections: Sequence[Inspection]) -> Iterator[Field]:
    """Yield names and values; a name without a value heads what follows."""
    many = len(inspections) > 1
    for group in _groups(inspections):
        yield from _finding(group, many=many)
    yield _names([one.node for one in inspections]), ""
    yield "  findings", _counts(inspections)
    yield "  rules", _judged(inspections)
    yield from _undecided(inspections)


def _groups(inspections: Sequence[Inspection]) -> list[_Group]:
    groups: dict[Key, _Group] = {}
    for inspection in inspections:
        for finding in inspection.findings:
            key = (finding.rule, finding.found, finding.expected)
            group = groups.setdefault(key, _Group(finding=finding, nodes=[], subjects=[]))
            group.nodes.append(inspection.node)
            group.subjects.append(finding.subject)
    return sorted(groups.values(), key=lambda group: ORDER.index(group.finding.severity))


def _finding(group: _Group, *, many: bool) -> Iterator[Field]:
    finding = group.finding
    where = [_names(group.nodes)] if many else []
    if set(group.subjects) != {"node"}:
        where.append(_names(group.subjects))
    yield f"{finding.severity.upper()}  {'  '.join((*where, finding.rule))}", ""
    alike = len(group.subjects) - 1
    yield "  what", finding.what + (f", and {alike} more alike" if alike else "")
    yield "  found", finding.found
    yield "  expected", finding.expected
    yield "  why", finding.why
    yield "  mend", finding.mend
    if finding.source:
        yield "  see", finding.source


def _names(names: Sequence[str]) -> str:
    plain = [name for name in dict.fromkeys(names) if name and not set(name) & set("[], ")]
    strange = [name for name in dict.fromkeys(names) if name not in plain]
    return ", ".join([*([fold(plain)] if plain else []), *sorted(strange, key=natural_key)])


def _counts(inspections: Sequence[Inspection]) -> str:
    counts = Counter[str](finding.severity for one in inspections for finding in one.findings)
    words = [f"{counts[severity]} {severity}" for severity in ORDER if counts[severity]]
    return ", ".join(words) or "none"


def _judged(inspections: Sequence[Inspection]) -> str:
    hold = len({rule for one in inspections for rule in one.passed})
    unknown = len({undecided.rule for one in inspections for undecided in one.undecided})
    return f"{format_count(hold, 'rule')} held, {unknown} could not be judged"


def _undecided(inspections: Sequence[Inspection]) -> Iterator[Field]:
    reasons = Counter(undecided.why for one in inspections for undecided in one.undecided)
    for why, _ in reasons.most_common(MOST_REASONS):
        rules = {undecided.rule for one in inspections for undecided in one.undecided if undecided.why == why}
        yield "", f"{why}: {', '.join(sorted(rules))}"
    if len(reasons) > MOST_REASONS:
        yield "", f"… and {len(reasons) - MOST_REASONS} more; `-o json` lists all"


MOST_REASONS = 8
