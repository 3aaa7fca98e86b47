"""What of a cluster is otherwise than wished: a line for each thing."""

from collections.abc import Sequence

import click
import msgspec

from l0_infra.core.errors import printable
from l0_infra.core.nodeset import fold
from l0_infra.core.units import format_count
from ogai.flows.cluster import Deviation, Deviations
from ogai.render.alike import fold_alike
from ogai.render.table import Column, print_table

__all__ = ["print_deviations"]

WIDEST = 60


def print_deviations(found: Deviations) -> None:
    """Print the deviations on stdout, and who was not seen."""
    if found.deviations:
        print_table(COLUMNS, _folded(found.deviations))
    else:
        click.echo(f"{format_count(found.nodes, 'node')} of {found.cluster} as wished")
    for names, why in fold_alike(found.unseen).items():
        click.echo(printable(f"not seen: {names}: {why}"))
    if found.strangers:
        click.echo(f"no longer in the document: {fold(found.strangers)}")


def _folded(deviations: Sequence[Deviation]) -> list[Deviation]:
    """Give what is otherwise in the same way on many nodes one line."""
    groups: dict[Deviation, list[str]] = {}
    for one in deviations:
        groups.setdefault(msgspec.structs.replace(one, node=""), []).append(one.node)
    return [msgspec.structs.replace(one, node=fold(nodes)) for one, nodes in groups.items()]


def _short(text: str) -> str:
    line = text.replace("\n", " ")
    return line if len(line) <= WIDEST else f"{line[: WIDEST - 1]}…"


COLUMNS: tuple[Column[Deviation], ...] = (
    Column(title="NODE", value=lambda one: one.node),
    Column(title="ROLE", value=lambda one: one.name),
    Column(title="WHAT", value=lambda one: one.what or one.reason),
    Column(title="WAS LEFT", value=lambda one: _short(one.left)),
    Column(title="IS NOW", value=lambda one: _short(one.found)),
)
