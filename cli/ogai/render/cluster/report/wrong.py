"""What is wrong, alike on many nodes once, the worst first."""

from collections.abc import Iterator, Mapping
from typing import NamedTuple

from l1_podsys.schemas import Verdict
from ogai.flows.cluster import ClusterReport
from ogai.render.cluster.report.names import nodes_cell
from ogai.render.report import Block, Cell, Column, Prose, Row, Table, Tone
from ogai.render.shortened import shortened

__all__ = ["wrong_blocks"]

TONES: Mapping[str, Tone] = {"critical": "bad", "warning": "warn", "unknown": "muted"}
ORDER = ("critical", "unknown", "warning")
WORDS: Mapping[str, str] = {"critical": "critical", "warning": "warning", "unknown": "could not be checked"}
MOST = 150
LONGEST = 400
MOST_CHECKS = 160
AGAIN = "once the reason is mended: ogai cluster check"


class Wrong(NamedTuple):
    """What deviates alike: on these nodes, by these checks."""

    severity: str
    checks: tuple[str, ...]
    nodes: tuple[str, ...]
    found: str
    expected: str
    hint: str


def wrong_blocks(report: ClusterReport) -> Iterator[Block]:
    """List what deviates, with the mend."""
    rows = sorted(_alike(report), key=lambda one: (ORDER.index(one.severity), -len(one.nodes), one.checks))
    if rows:
        titles = (Column(title="nodes"), Column(title="found"), Column(title="mend"))
        columns = (Column(title="check", style="word"), *titles)
        yield Table(columns=columns, rows=tuple(map(_row, rows[:MOST])), stacked=True)
    if len(rows) > MOST:
        yield Prose(text=f"and {len(rows) - MOST:,} more kinds: ogai cluster check -o json shows all.")
    if report.health.breaker:
        yield Prose(text=f"No node was drained: {report.health.breaker}")


def _alike(report: ClusterReport) -> Iterator[Wrong]:
    """Put together what is alike on many nodes; what could not be checked for one reason, whatever the check."""
    by_node: dict[tuple[str, str, str, str, str], list[str]] = {}
    for one in (known.verdict for known in report.health.verdicts):
        if one.severity != "ok":
            by_node.setdefault(_key(one), []).append(one.node)
    unknown: dict[tuple[tuple[str, ...], str], list[str]] = {}
    for (severity, check, found, expected, hint), nodes in by_node.items():
        if severity == "unknown":
            unknown.setdefault((tuple(nodes), found), []).append(check)
        else:
            yield Wrong(severity, (check,), tuple(nodes), found, expected, hint)
    for (names, found), checks in unknown.items():
        hints = {
            key[4]
            for key, nodes in by_node.items()
            if key[1] in checks and key[2] == found and tuple(nodes) == names
        }
        hint = hints.pop() if len(hints) == 1 else AGAIN
        yield Wrong("unknown", tuple(checks), names, found, "", hint)


def _key(one: Verdict) -> tuple[str, str, str, str, str]:
    return one.severity, one.check, one.found.replace(one.node, "…"), one.expected, one.hint


def _row(one: Wrong) -> Row:
    several, checks = len(one.checks) > 1, shortened(", ".join(one.checks), MOST_CHECKS)
    expected = f"expected: {shortened(one.expected, LONGEST)}" if one.expected else ""
    name = f"{len(one.checks)} checks" if several else one.checks[0]
    return Row(
        cells=(
            Cell(text=name, tone=TONES[one.severity], note=WORDS[one.severity]),
            nodes_cell(one.nodes),
            Cell(text=shortened(one.found, LONGEST), note=checks if several else expected),
            Cell(text=shortened(one.hint, LONGEST)),
        )
    )
