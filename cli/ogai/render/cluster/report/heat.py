"""Nodes × checks: a row for each check, a column for each node, four of them or thousands."""

from collections.abc import Iterator, Mapping, Sequence
from itertools import groupby

from l0_infra.core.nodeset import natural_key
from l1_podsys import CHECKS, KnownVerdict
from ogai.flows.cluster import ClusterReport
from ogai.render.report import Block, HeatGroup, HeatMap, HeatRow, HeatRun, Key, Prose, Tone

__all__ = ["columns_of", "heat_blocks"]

TONES: Mapping[str, Tone] = {"ok": "good", "unknown": "muted", "warning": "warn", "critical": "bad"}
ORDER = ("ok", "unknown", "warning", "critical")
LEGEND = (
    Key(name="ok", tone="good", shape="dot"),
    Key(name="warning", tone="warn", shape="dot"),
    Key(name="critical", tone="bad", shape="dot"),
    Key(name="could not be checked", tone="muted", shape="dot"),
    Key(name="not checked", tone="grid", shape="dot"),
)
MOST_NAMES = 12
MOST_COLUMNS = 600
LONGEST = 120
Worst = tuple[str, str]
"""A severity, and what was found."""


def heat_blocks(report: ClusterReport) -> Iterator[Block]:
    """Show what checks found, by check and node."""
    nodes = columns_of(report)
    if not report.health.verdicts:
        yield Prose(text="No check has been made: ogai cluster check")
        return
    place = {name: index for index, (name, _) in enumerate(nodes)}
    known = [one for one in report.health.verdicts if one.verdict.node in place]
    bins = min(len(nodes), MOST_COLUMNS)
    rows = [_row("all of them", known, place, bins, len(nodes))]
    rows += [_row(check, list(found), place, bins, len(nodes)) for check, found in _by_check(known)]
    few = len(nodes) <= MOST_NAMES
    classes = [(name, len(list(group))) for name, group in groupby(nodes, key=lambda node: node[1])]
    yield HeatMap(
        columns=bins,
        rows=tuple(rows),
        groups=tuple(HeatGroup(name=name, count=count) for name, count in classes),
        names=tuple(name for name, _ in nodes) if few else (),
        legend=LEGEND,
        caption="" if few else _caption(nodes, bins),
    )


def columns_of(report: ClusterReport) -> Sequence[tuple[str, str]]:
    """List nodes and their classes in the order of the columns: by class, then by name."""
    nodes = [(node.name, group.node_class) for group in report.cluster.nodes for node in group.listed()]
    return sorted(nodes, key=lambda node: (natural_key(node[1]), natural_key(node[0])))


def _by_check(known: Sequence[KnownVerdict]) -> Iterator[tuple[str, Iterator[KnownVerdict]]]:
    """Group verdicts by check, in the order in which checks are declared."""
    order = {code: index for index, code in enumerate(CHECKS)}

    def key(one: KnownVerdict) -> tuple[int, str]:
        area = one.verdict.check.partition(".")[0]
        first = next((index for code, index in order.items() if code.startswith(f"{area}.")), len(order))
        return order.get(one.verdict.check, first), one.verdict.check

    for (_, check), found in groupby(sorted(known, key=key), key=key):
        yield check, found


def _row(
    label: str, known: Sequence[KnownVerdict], place: Mapping[str, int], bins: int, columns: int
) -> HeatRow:
    """Draw the worst that each column holds; columns alike beside each other are one run."""
    worst: dict[int, Worst] = {}
    for verdict in (one.verdict for one in known):
        column = place[verdict.node] * bins // columns
        told = f"{verdict.node}: {verdict.check}: {verdict.found}"
        if column not in worst or ORDER.index(verdict.severity) > ORDER.index(worst[column][0]):
            worst[column] = (verdict.severity, told)
    runs = []
    cells = sorted(worst.items())
    single = columns <= MOST_NAMES
    for _, group in groupby(
        enumerate(cells), key=lambda item: (item[0] if single else item[1][0] - item[0], item[1][1][0])
    ):
        run = [cell for _, cell in group]
        (first, (severity, told)), count = run[0], len(run)
        title = severity if severity == "ok" and not single else f"{severity}, {told}"
        more = f" and {count - 1} more" if count > 1 and severity != "ok" else ""
        runs.append(HeatRun(first=first, count=count, tone=TONES[severity], title=title[:LONGEST] + more))
    return HeatRow(label=label, runs=tuple(runs))


def _caption(nodes: Sequence[tuple[str, str]], bins: int) -> str:
    """Say how nodes are ordered, and how many share a column."""
    per = "" if bins == len(nodes) else f" A column is the worst of {len(nodes) / bins:.1f} nodes."
    return f"{len(nodes):,} nodes from left to right, by class and name.{per} What is wrong is named below."
