"""What is wrong with nodes, in words: like findings of many nodes are told once."""

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from l0_infra.core.units import format_count
from l0_infra.schemas import SEVERITIES, Finding, Inspection
from ogai.flows.node import name_all
from ogai.render.table import print_fields, print_heading

__all__ = ["Block", "describe_inspected", "print_inspected"]

STYLES = {"fatal": "bold red", "error": "red", "warning": "yellow"}
MOST_UNKNOWN = 6

Field = tuple[str, str]
Key = tuple[str, str, str]


@dataclass(frozen=True, kw_only=True, slots=True)
class Block:
    """A heading and the fields below it."""

    heading: str
    fields: list[Field]
    severity: str = ""


@dataclass(slots=True)
class _Group:
    """One finding, and all nodes and parts of them that share it."""

    finding: Finding
    nodes: list[str]
    subjects: list[str]


def print_inspected(inspections: Sequence[Inspection]) -> None:
    """Print findings, worst first, and what could not be judged, on stdout."""
    for block in describe_inspected(inspections):
        print_heading(block.heading, style=STYLES.get(block.severity, "bold"))
        print_fields(block.fields)


def describe_inspected(inspections: Sequence[Inspection]) -> Iterator[Block]:
    """Yield a block for each finding, like ones of many nodes and parts once, and one that sums them up."""
    many = len(inspections) > 1
    for group in _groups(inspections):
        yield _finding(group, many=many)
    fields = [("  findings", _counts(inspections)), ("  rules", _judged(inspections))]
    if unknown := _undecided(inspections):
        fields.append(("  not known", unknown))
    yield Block(heading=name_all([one.node for one in inspections]), fields=fields)


def _groups(inspections: Sequence[Inspection]) -> list[_Group]:
    groups: dict[Key, _Group] = {}
    for inspection in inspections:
        for finding in inspection.findings:
            key = (finding.rule, finding.found, finding.expected)
            group = groups.setdefault(key, _Group(finding=finding, nodes=[], subjects=[]))
            group.nodes.append(inspection.node)
            group.subjects.append(finding.subject)
    return sorted(groups.values(), key=lambda group: SEVERITIES.index(group.finding.severity))


def _finding(group: _Group, *, many: bool) -> Block:
    finding = group.finding
    where = [name_all(group.nodes)] if many else []
    if set(group.subjects) != {"node"}:
        where.append(name_all(group.subjects))
    alike = len(group.subjects) - 1
    fields = [
        ("  what", finding.what + (f", and {alike} more alike" if alike else "")),
        ("  found", finding.found),
        ("  expected", finding.expected),
        ("  why", finding.why),
        ("  mend", finding.mend),
    ]
    if finding.source:
        fields.append(("  see", finding.source))
    heading = "  ".join((finding.severity.upper(), *where, finding.rule))
    return Block(heading=heading, severity=finding.severity, fields=fields)


def _counts(inspections: Sequence[Inspection]) -> str:
    counts = Counter[str](finding.severity for one in inspections for finding in one.findings)
    words = [f"{counts[severity]} {severity}" for severity in SEVERITIES if counts[severity]]
    return ", ".join(words) or "none"


def _judged(inspections: Sequence[Inspection]) -> str:
    hold = len({rule for one in inspections for rule in one.passed})
    unknown = len({undecided.rule for one in inspections for undecided in one.undecided})
    return f"{format_count(hold, 'rule')} held, {unknown} could not be judged"


def _undecided(inspections: Sequence[Inspection]) -> str:
    """Name what is not known, most missed first, with how many rules wait for it."""
    waiting: dict[str, set[str]] = {}
    for undecided in (undecided for one in inspections for undecided in one.undecided):
        waiting.setdefault(undecided.why.split(" ")[0], set()).add(undecided.rule)
    most = sorted(waiting.items(), key=lambda pair: (-len(pair[1]), pair[0]))
    words = [f"{what} ({format_count(len(rules), 'rule')})" for what, rules in most[:MOST_UNKNOWN]]
    more = len(most) - len(words)
    return ", ".join(words) + (f" and {more} more; `-o json` lists all" if more else "")
