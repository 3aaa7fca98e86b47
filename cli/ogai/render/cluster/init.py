"""What a look at the hosts found for a document to be."""

import click

from l0_infra.core.errors import printable
from l0_infra.core.nodeset import fold
from l0_infra.core.units import format_count
from ogai.flows.cluster import Described

__all__ = ["tell_looked"]

MOST = 10


def tell_looked(described: Described) -> None:
    """Say on stderr what was proposed from a look, and who did not answer."""
    if described.looked_at:
        classes = ", ".join(sorted({group.node_class for group in described.cluster.nodes}))
        click.echo(f"looked at {format_count(described.looked_at, 'host')}: {classes}", err=True)
    by_reason: dict[str, list[str]] = {}
    for name, why in described.lost.items():
        by_reason.setdefault(why.replace(name, "…"), []).append(name)
    for why, names in list(by_reason.items())[:MOST]:
        click.echo(printable(f"not looked at: {fold(names)}: {why}"), err=True)
    if described.lost:
        click.echo("they are of the class `default`; `--force` begins anew when they answer", err=True)
