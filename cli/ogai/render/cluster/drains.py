"""Which nodes were taken out of work, given back or left as they are, a line each."""

from collections.abc import Sequence

import click

from l1_podsys.schemas import DrainChange
from ogai.render.table import Column, print_table

__all__ = ["print_changes"]

COLUMNS: tuple[Column[DrainChange], ...] = (
    Column(title="NODE", value=lambda change: change.node),
    Column(title="DRAIN", value=lambda change: change.change),
    Column(title="OWNER", value=lambda change: change.owner),
    Column(title="REASON", value=lambda change: change.reason),
)


def print_changes(changes: Sequence[DrainChange]) -> None:
    """Print a table on stdout, or that there was nothing to do."""
    if changes:
        print_table(COLUMNS, changes)
    else:
        click.echo("nothing to do: none of these nodes is drained")
