"""What a cluster is made of: its nodes in groups, and the versions of packages that differ or do not."""

from collections import Counter
from collections.abc import Iterator, Mapping

from ogai.flows.cluster import ClusterReport
from ogai.render.cluster.report.names import nodes_cell, wrapped
from ogai.render.report import Block, Cell, Column, Fold, Row, Table

__all__ = ["node_blocks", "version_blocks"]

PACKAGE = "package "
Versions = Mapping[str, Mapping[str, list[str]]]


def version_blocks(report: ClusterReport) -> Iterator[Block]:
    """List packages whose version is not the same on all nodes, and in a fold those that are alike."""
    versions = _versions(report)
    differing = {name: found for name, found in versions.items() if len(found) > 1}
    if differing:
        yield _table(differing, mark_odd=True)
    alike = {name: found for name, found in versions.items() if len(found) == 1}
    if alike:
        table = _table(alike)
        yield (
            Fold(title="Alike on all nodes", note=f"{len(alike):,} packages", blocks=(table,))
            if differing
            else table
        )


def _versions(report: ClusterReport) -> Versions:
    """Gather versions by package, as they were found after the roles were done."""
    found: dict[str, dict[str, list[str]]] = {}
    for entry in report.entries:
        for what, version in entry.found_items().items():
            if what.startswith(PACKAGE):
                plain = version.removeprefix("installed ")
                found.setdefault(what.removeprefix(PACKAGE), {}).setdefault(plain, []).append(entry.node)
    return {
        name: {version: sorted({*nodes}) for version, nodes in found[name].items()} for name in sorted(found)
    }


def _table(versions: Versions, *, mark_odd: bool = False) -> Table:
    rows = []
    for name, found in versions.items():
        usual = Counter({version: len(nodes) for version, nodes in found.items()}).most_common(1)[0][0]
        for version, nodes in sorted(found.items(), key=lambda item: -len(item[1])):
            odd = mark_odd and version != usual
            cells = (
                Cell(text=name),
                Cell(text=version, tone="warn" if odd else None),
                nodes_cell(nodes),
            )
            rows.append(Row(cells=cells))
    columns = (
        Column(title="package", style="word"),
        Column(title="version", style="code"),
        Column(title="nodes"),
    )
    return Table(columns=columns, rows=tuple(rows))


def node_blocks(report: ClusterReport) -> Iterator[Block]:
    """List the groups of the document."""
    yield Table(
        columns=(
            *(
                Column(title="nodes"),
                Column(title="count", style="number"),
                Column(title="class", style="word"),
            ),
            *(Column(title="roles"), Column(title="addresses", style="code")),
        ),
        rows=tuple(
            Row(
                cells=(
                    Cell(text=wrapped(group.names)),
                    Cell(text=f"{len(group.listed()):,}"),
                    Cell(text=group.node_class),
                    Cell(text=", ".join(group.roles)),
                    Cell(text=wrapped(group.addresses or "by name")),
                )
            )
            for group in report.cluster.nodes
        ),
    )
