"""A round of the watch: a line for it, and one for each change."""

from collections import Counter
from collections.abc import Iterator
from datetime import datetime

import click

from l0_infra.core.errors import printable
from l0_infra.core.units import format_count
from l1_podsys import Round

__all__ = ["describe_round", "print_round"]


def print_round(one: Round) -> None:
    """Print a round on stdout, at once also into a pipe."""
    moment = datetime.now().strftime("%Y-%m-%d %H:%M:%S")
    for line in describe_round(one):
        click.echo(printable(f"{moment}  {line}"))


def describe_round(one: Round) -> Iterator[str]:
    """Yield its lines: how many nodes are fit, what is worse, what is mended, who was drained."""
    if one.health is None:
        yield f"no check: {one.failure}"
        return
    unfit = {verdict.node for verdict in one.health.verdicts if verdict.severity == "critical"}
    nodes = {verdict.node for verdict in one.health.verdicts}
    counts = Counter[str](verdict.severity for verdict in one.health.verdicts)
    rest = ", ".join(f"{counts[word]} {word}" for word in ("critical", "unknown", "warning") if counts[word])
    yield f"{len(nodes - unfit)} of {format_count(len(nodes), 'node')} fit" + (f"; {rest}" if rest else "")
    for verdict in one.worse:
        yield f"WORSE   {verdict.node}  {verdict.check}: {verdict.found}"
    for verdict in one.mended:
        yield f"MENDED  {verdict.node}  {verdict.check}"
    for change in one.health.drains:
        if change.change != "kept":
            yield f"{change.change.upper()}  {change.node}  {change.reason}".rstrip()
    if one.health.breaker:
        yield f"NOBODY DRAINED  {one.health.breaker}"
