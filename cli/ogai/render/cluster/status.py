"""How a cluster stands: a line for each node, the last runs, and what to do next."""

import time
from collections.abc import Mapping, Sequence

import click

from l0_infra.core.errors import printable
from l0_infra.core.nodeset import fold
from l1_podsys.schemas import Verdict
from ogai.flows.cluster import NodeStatus, Status
from ogai.render.alike import alike
from ogai.render.moment import brief, local_time
from ogai.render.table import Column, print_table

__all__ = ["HEALTH", "print_status"]


def print_status(status: Status) -> None:
    """Print the status on stdout."""
    print_table(COLUMNS, status.nodes)
    for trouble, nodes in _troubles(status.nodes).items():
        click.echo(printable(f"{fold(nodes)}: {trouble}"))
    for fault, nodes in _faults(status.faults).items():
        click.echo(printable(f"{fold(nodes)}: {fault}"))
    click.echo(f"\ncluster {status.cluster}, controller {status.controller}, kept in {status.folder}")
    if status.at_work is not None:
        holder = status.at_work
        click.echo(
            f"at work: `{holder.what}` of {holder.user} since {_moment(holder.since)}, process {holder.pid}"
        )
    for number, run in enumerate(status.runs):
        took = "" if run.ended_at is None else f" after {brief(run.ended_at - run.began_at)}"
        how = run.outcome or ("at work" if status.at_work is not None and number == 0 else "killed")
        click.echo(f"{_moment(run.began_at)}  {run.what}: {how}{took}  ({run.id})")
    if status.mend:
        click.echo(printable(f"next: {status.mend}"))


def _troubles(nodes: Sequence[NodeStatus]) -> Mapping[str, Sequence[str]]:
    """Name the nodes by their trouble, alike on many once."""
    told: dict[str, list[str]] = {}
    for node in nodes:
        if node.trouble:
            told.setdefault(node.trouble, []).append(node.name)
    return told


def _faults(faults: Sequence[Verdict]) -> Mapping[str, Sequence[str]]:
    """Name the nodes by what checks found critical there, alike on many once."""
    told: dict[str, list[str]] = {}
    for one in faults:
        told.setdefault(f"{one.check}: {alike(one.found, one.node)}", []).append(one.node)
    return told


def _moment(at: float | None) -> str:
    return "" if at is None else local_time(at, time.time())


HEALTH = {"": "not checked", "unknown": "incomplete"}
"""Nothing worse than that a check could not be made is no fault of the node."""

COLUMNS: tuple[Column[NodeStatus], ...] = (
    Column(title="NODE", value=lambda node: node.name),
    Column(title="STATE", value=lambda node: node.state),
    Column(title="HEALTH", value=lambda node: HEALTH.get(node.health, node.health)),
    Column(title="CHECKED", value=lambda node: _moment(node.checked_at)),
    Column(title="FOR", value=lambda node: ", ".join(node.roles)),
    Column(title="DONE", value=lambda node: str(node.done), align="right"),
    Column(title="LAST", value=lambda node: _moment(node.last)),
)
