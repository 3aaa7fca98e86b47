"""Labs, a line for each host."""

from collections.abc import Sequence

from l1_podsys.lab import Lab, LabHost
from ogai.render.table import Column, print_table

__all__ = ["print_labs"]


def print_labs(labs: Sequence[Lab]) -> None:
    """Print a table of hosts on stdout."""
    print_table(COLUMNS, [(lab, host) for lab in labs for host in lab.hosts])


COLUMNS: tuple[Column[tuple[Lab, LabHost]], ...] = (
    Column(title="LAB", value=lambda row: row[0].name),
    Column(title="OS", value=lambda row: row[0].os),
    Column(title="HOST", value=lambda row: row[1].name),
    Column(title="ADDRESS", value=lambda row: row[1].address),
)
