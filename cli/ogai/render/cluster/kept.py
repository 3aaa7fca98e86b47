"""The clusters that are kept here, a line for each."""

import time
from collections.abc import Sequence

import click

from l0_infra.core.errors import printable
from l0_infra.core.units import format_count
from ogai.flows.cluster import KeptCluster
from ogai.render.cluster.status import HEALTH
from ogai.render.moment import ago
from ogai.render.table import Column, print_table

__all__ = ["print_chosen", "print_kept"]


def print_kept(clusters: Sequence[KeptCluster]) -> None:
    """Print them on stdout, or say on stderr that there is none."""
    if not clusters:
        click.echo("no cluster is kept here: ogai cluster up FILE brings one up", err=True)
        return
    print_table(COLUMNS, clusters)
    for one in clusters:
        if one.trouble:
            click.echo(printable(f"{one.name}: {one.trouble}"), err=True)


def print_chosen(cluster: KeptCluster) -> None:
    """Say which cluster is the current one now."""
    what = (
        f"{cluster.scheduler}, {format_count(cluster.nodes, 'node')}"
        if cluster.scheduler
        else "it cannot be read"
    )
    click.echo(f"{cluster.name} is the current cluster ({what})")


def _health(cluster: KeptCluster) -> str:
    if cluster.trouble:
        return ""
    if cluster.checked_at is None:
        return "not checked"
    words = ("critical", "unknown", "warning", "not checked", "ok")
    told = [f"{count} {HEALTH.get(word, word)}" for word in words if (count := cluster.health.get(word))]
    return f"{', '.join(told)}, {ago(time.time() - cluster.checked_at)}"


def _applied(cluster: KeptCluster) -> str:
    if cluster.applied_at is None:
        return ""
    return f"{cluster.applied}, {ago(time.time() - cluster.applied_at)}"


COLUMNS: tuple[Column[KeptCluster], ...] = (
    Column(title="", value=lambda one: "*" if one.current else ""),
    Column(title="CLUSTER", value=lambda one: one.name),
    Column(title="NODES", value=lambda one: "" if one.trouble else str(one.nodes), align="right"),
    Column(title="SCHEDULER", value=lambda one: one.scheduler or ""),
    Column(title="HEALTH", value=_health),
    Column(title="LAST APPLIED", value=_applied),
)
