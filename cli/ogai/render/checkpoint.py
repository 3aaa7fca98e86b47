"""How checkpoints, and the differences of two, look to a person."""

from collections import Counter
from collections.abc import Sequence

import click

from l0_infra.core.errors import UnhealthyError
from l0_infra.core.units import format_bytes, format_count
from l3_modeltools import Compared
from ogai.flows.checkpoint import Checkpoint
from ogai.render.moment import local_time
from ogai.render.table import Column, print_table

__all__ = ["describe_state", "judge_checkpoints", "print_checkpoints", "print_differences"]

UNKNOWN = "-"


def print_checkpoints(found: Sequence[Checkpoint], now: float) -> None:
    """Print one line each on stdout."""
    print_table(
        (
            Column[Checkpoint](title="STEP", value=lambda one: str(one.step), align="right"),
            Column[Checkpoint](title="TOKENS", value=lambda one: _count(one.tokens), align="right"),
            Column[Checkpoint](title="SAVED", value=lambda one: _saved(one, now)),
            Column[Checkpoint](title="SIZE", value=lambda one: format_bytes(one.size_bytes), align="right"),
            Column[Checkpoint](title="RANKS", value=lambda one: _count(one.world_size), align="right"),
            Column[Checkpoint](title="STATE", value=describe_state),
        ),
        found,
    )


def describe_state(one: Checkpoint) -> str:
    """Write whether it may be loaded, and why not."""
    return f"{one.state}: {one.fault}" if one.fault else one.state


def judge_checkpoints(where: str, found: Sequence[Checkpoint]) -> None:
    """Raise UnhealthyError when one is damaged; what is unfinished or set aside is known not to count."""
    damaged = [one for one in found if one.state == "damaged"]
    if not damaged:
        return
    steps = ", ".join(str(one.step) for one in damaged)
    raise UnhealthyError(
        where,
        found=f"{format_count(len(damaged), 'damaged checkpoint')}: step {steps}",
        expected="what the manifests say",
        hint="a resumed run goes on from the newest sound one and sets damaged ones aside",
    )


def print_differences(entries: Sequence[Compared], *, everything: bool) -> None:
    """Print what differs, or all, and a count of each verdict on stdout."""
    shown = [entry for entry in entries if everything or entry.verdict != "equal"]
    if shown:
        print_table(
            (
                Column[Compared](title="ENTRY", value=lambda entry: entry.name),
                Column[Compared](title="VERDICT", value=lambda entry: entry.verdict),
                Column[Compared](title="SHAPE", value=lambda entry: "×".join(map(str, entry.shape))),
                Column[Compared](title="DIFFERING", value=lambda entry: _count(entry.differing or None)),
                Column[Compared](title="MAX ABS", value=lambda entry: _figure(entry.max_absolute)),
                Column[Compared](title="MAX REL", value=lambda entry: _figure(entry.max_relative)),
            ),
            shown,
        )
    counts = Counter(entry.verdict for entry in entries)
    click.echo(", ".join(f"{count:,} {verdict}" for verdict, count in counts.items()) or "both are empty")


def _saved(one: Checkpoint, now: float) -> str:
    return UNKNOWN if one.saved_at is None else local_time(one.saved_at, now)


def _count(value: int | None) -> str:
    return UNKNOWN if value is None else f"{value:,}"


def _figure(value: float | None) -> str:
    return UNKNOWN if value is None else f"{value:.3g}"
