"""Labs, a line for each host."""

from collections.abc import Sequence

import click

from l0_infra.core.units import format_bytes
from ogai.flows.lab import HostReport, LabReport
from ogai.render.table import Column, print_table

__all__ = ["print_labs"]


def print_labs(labs: Sequence[LabReport]) -> None:
    """Print a table of hosts on stdout."""
    if labs:
        print_table(COLUMNS, [(lab, host) for lab in labs for host in lab.hosts])
    else:
        click.echo("no labs; `ogai lab up` makes one", err=True)


def _memory(host: HostReport) -> str:
    return "all" if host.memory_bytes is None else format_bytes(host.memory_bytes)


COLUMNS: tuple[Column[tuple[LabReport, HostReport]], ...] = (
    Column(title="LAB", value=lambda row: row[0].name),
    Column(title="OS", value=lambda row: row[0].os),
    Column(title="HOST", value=lambda row: row[1].name),
    Column(title="ADDRESS", value=lambda row: row[1].address),
    Column(title="STATE", value=lambda row: row[1].state),
    Column(title="BROKEN", value=lambda row: ", ".join(row[1].broken) or "-"),
    Column(title="MEMORY", value=lambda row: _memory(row[1]), align="right"),
    Column(title="GPUS", value=lambda row: str(row[1].accelerators), align="right"),
)
