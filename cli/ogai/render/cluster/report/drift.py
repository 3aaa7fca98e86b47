"""What of the nodes is otherwise than it was left, when they were looked at for it."""

from collections.abc import Iterator

from l0_infra.core.nodeset import fold
from ogai.flows.cluster import ClusterReport
from ogai.render.cluster.report.names import nodes_cell
from ogai.render.report import Block, Cell, Column, Prose, Row, Table
from ogai.render.shortened import shortened

__all__ = ["drift_blocks"]

MOST = 200
LONGEST = 300


def drift_blocks(report: ClusterReport) -> Iterator[Block]:
    """List deviations, alike on many nodes once."""
    found = report.deviations
    if found is None:
        yield Prose(text="The nodes were not looked at for this report: ogai cluster report --drift")
        return
    alike: dict[tuple[str, str, str], list[str]] = {}
    for one in found.deviations:
        alike.setdefault((one.name, one.what, one.reason), []).append(one.node)
    if not alike and not found.unseen:
        yield Prose(text=f"None: {found.nodes:,} nodes are as they were left.")
    if alike:
        groups = sorted(alike.items(), key=lambda group: (-len(group[1]), group[0]))
        columns = (
            Column(title="role", style="word"),
            Column(title="nodes"),
            Column(title="what"),
            Column(title="why"),
        )
        yield Table(
            columns=columns, rows=tuple(_row(*key, nodes) for key, nodes in groups[:MOST]), stacked=True
        )
        if len(groups) > MOST:
            yield Prose(text=f"and {len(groups) - MOST:,} more: ogai cluster diff")
    if found.unseen:
        why = next(iter(found.unseen.values()))
        yield Prose(
            text=f"Not looked at: {shortened(fold(found.unseen), LONGEST)}: {shortened(why, LONGEST)}"
        )
    if found.strangers:
        yield Prose(
            text=f"Brought up once and no longer in the document: {shortened(fold(found.strangers), LONGEST)}"
        )


def _row(name: str, what: str, reason: str, nodes: list[str]) -> Row:
    return Row(
        cells=(
            Cell(text=name, tone="warn"),
            nodes_cell(nodes),
            Cell(text=shortened(what or "all of it", LONGEST)),
            Cell(text=shortened(reason, LONGEST)),
        )
    )
