"""The nodes after a run: what was done, what failed and why, and where to read on."""

from collections.abc import Iterator, Sequence

import click

from l0_infra.core.errors import printable
from l0_infra.core.nodeset import fold
from ogai.flows.cluster import Brought, NodeBrought, Trouble
from ogai.render.alike import alike, told_once
from ogai.render.cluster.health import print_health
from ogai.render.moment import brief
from ogai.render.table import Column, print_table

__all__ = ["print_brought", "print_undone", "tell_edits"]

MESSAGE_LINES = 6

COLUMNS: tuple[Column[NodeBrought], ...] = (
    Column(title="NODE", value=lambda node: node.name),
    Column(title="STATE", value=lambda node: node.state),
    Column(title="OK", value=lambda node: str(node.held_already), align="right"),
    Column(title="DONE", value=lambda node: str(node.done), align="right"),
    Column(title="CHANGED", value=lambda node: str(node.changed), align="right"),
    Column(title="FAILED", value=lambda node: str(node.failed), align="right"),
    Column(title="WAITING", value=lambda node: str(node.held), align="right"),
    Column(title="TOOK", value=lambda node: brief(node.seconds), align="right"),
)


def print_brought(brought: Brought) -> None:
    """Print a line for each node, then what went wrong; OK counts steps that were as wished already."""
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


def tell_edits(brought: Brought) -> None:
    """Tell on stderr what a document of the person's own still lacks; the one that is kept here has it."""
    where = brought.document or "a document of your own"
    for edit in brought.edits:
        click.echo(printable(f"{where} is not changed; in it, {edit}"), err=True)


def _troubles(troubles: Sequence[Trouble]) -> Iterator[str]:
    """Tell what failed, alike on many nodes once, then who waits for another's failure."""
    groups: dict[tuple[str, str, str, str], list[Trouble]] = {}
    for one in troubles:
        if one.state != "held":
            key = (one.name, one.state, one.task, alike(one.message, one.node))
            groups.setdefault(key, []).append(one)
    for (name, state, task, _), group in groups.items():
        message = told_once((one.message for one in group), group[0].node)
        yield ""
        yield f"{fold(one.node for one in group)}: {name} {state}{f', at `{task}`' if task else ''}"
        lines = message.strip().splitlines()
        yield from (f"    {line}" for line in lines[:MESSAGE_LINES])
        if len(lines) > MESSAGE_LINES:
            yield f"    … {len(lines) - MESSAGE_LINES} more lines"
        if log := group[0].log:
            yield f"    log: {log}"
    yield from _waiting(troubles)


def _waiting(troubles: Sequence[Trouble]) -> Iterator[str]:
    """Tell what waits for another node; that the rest of a node waits for its own failure goes without saying."""
    by_node: dict[tuple[str, str], list[str]] = {}
    for one in troubles:
        if one.state == "held" and f" on {one.node}, which failed" not in one.message:
            by_node.setdefault((one.node, one.message), []).append(one.name)
    groups: dict[tuple[str, str], list[str]] = {}
    for (node, message), names in by_node.items():
        groups.setdefault((", ".join(names), message), []).append(node)
    if groups:
        yield ""
    yield from (f"{fold(nodes)}: {names}: {message}" for (names, message), nodes in groups.items())
