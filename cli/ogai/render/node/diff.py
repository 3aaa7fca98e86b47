"""How two nodes differ, a line for each field."""

import click

from l0_infra import Difference
from ogai.flows.node import Compared
from ogai.render.table import Column, print_table

__all__ = ["print_differences"]


def print_differences(compared: Compared) -> None:
    """Print the fields on stdout; on stderr that there are none."""
    if not compared.differences:
        click.echo(f"{compared.first} and {compared.second} are alike in all that is known of them", err=True)
        return
    columns: tuple[Column[Difference], ...] = (
        Column(title="FIELD", value=lambda one: one.field),
        Column(title=compared.first, value=lambda one: one.first or "-"),
        Column(title=compared.second, value=lambda one: one.second or "-"),
    )
    print_table(columns, compared.differences)
