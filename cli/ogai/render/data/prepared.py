"""What came of a prepare, and of a verify, in lines beside the result."""

import click

from l0_infra.core.errors import UnhealthyError, printable
from l0_infra.core.units import format_bytes, format_count
from l3_modeltools import Prepared, Verification

__all__ = ["judge_verification", "tell_prepared"]

FAULTS_TOLD = 10


def tell_prepared(done: Prepared) -> None:
    """Say on stderr what the table does not: whether anything was done, what could not be read."""
    for note in done.notes:
        click.echo(printable(f"note: {note}"), err=True)
    if done.unchanged:
        click.echo(f"{done.dataset.name} is there already, made from the same", err=True)
    if done.earlier:
        click.echo(printable(f"the earlier one is kept: {done.earlier}"), err=True)


def judge_verification(found: Verification) -> str:
    """Say that a data set is sound. Raises UnhealthyError that lists its faults."""
    if not found.faults:
        files = format_count(found.files, "file")
        return f"{found.dataset} is sound: {files}, {format_bytes(found.size_bytes)}"
    more = len(found.faults) - FAULTS_TOLD
    told = [*found.faults[:FAULTS_TOLD], *([f"and {more} more"] if more > 0 else [])]
    raise UnhealthyError(
        found.dataset,
        found="\n  ".join(("damage", *told)) if told[1:] else told[0],
        expected="what the manifest says",
        hint="prepare it again with --replace, or copy the files anew",
    )
