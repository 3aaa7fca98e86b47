"""The nodes after a run: what was done, what failed and why, and where to read on."""

from collections.abc import Iterator, Sequence

import click

from l0_infra.core.errors import printable
from l0_infra.core.nodeset import fold
from ogai.flows.cluster import Brought, NodeBrought, Trouble
from ogai.render.cluster.health import print_health
from ogai.render.table import Column, print_table

__all__ = ["print_brought", "print_undone"]

MOST_HELD = 3
MESSAGE_LINES = 6

COLUMNS: tuple[Column[NodeBrought], ...] = (
    Column(title="NODE", value=lambda node: node.name),
    Column(title="STATE", value=lambda node: node.state),
    Column(title="HELD ALREADY", value=lambda node: str(node.held_already), align="right"),
    Column(title="DONE", value=lambda node: str(node.done), align="right"),
    Column(title="CHANGED", value=lambda node: str(node.changed), align="right"),
    Column(title="FAILED", value=lambda node: str(node.failed), align="right"),
    Column(title="WAITING", value=lambda node: str(node.held), align="right"),
    Column(title="SECONDS", value=lambda node: f"{node.seconds:.0f}", align="right"),
)


def print_brought(brought: Brought) -> None:
    """Print a line for each node, then what went wrong."""
    print_table(COLUMNS, brought.nodes)
    if not brought.run:
        click.echo("nothing to do: everything holds")
    for line in _troubles(brought.troubles):
        click.echo(printable(line))
    if brought.health is not None:
        print_health(brought.health)


def print_undone(brought: Brought) -> None:
    """Print where what roles left is gone, and where it is not."""
    bad = brought.bad()
    gone = [node.name for node in brought.nodes if node.name not in bad]
    click.echo(f"taken down: {fold(gone) or 'nothing'}")
    for line in _troubles(brought.troubles):
        click.echo(printable(line))


def _troubles(troubles: Sequence[Trouble]) -> Iterator[str]:
    for one in troubles:
        if one.state == "held":
            continue
        yield ""
        yield f"{one.node}: {one.name} {one.state}{f', at `{one.task}`' if one.task else ''}"
        lines = one.message.strip().splitlines()
        yield from (f"    {line}" for line in lines[:MESSAGE_LINES])
        if len(lines) > MESSAGE_LINES:
            yield f"    … {len(lines) - MESSAGE_LINES} more lines"
        if one.log:
            yield f"    log: {one.log}"
    held: dict[str, list[str]] = {}
    for one in troubles:
        if one.state == "held":
            held.setdefault(f"{one.name}: {one.message}", []).append(one.node)
    if held:
        yield ""
    yield from (f"{fold(nodes)}: {why}" for why, nodes in held.items())
