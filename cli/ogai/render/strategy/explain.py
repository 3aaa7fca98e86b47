"""A plan explained: on a terminal as pictures and derivations, on a page with all of it."""

from collections.abc import Iterator
from pathlib import Path

import click

from l0_infra.core.errors import UnsatisfiableError
from l0_infra.core.units import format_bytes
from l3_modeltools import Derivation, Timeline
from ogai.flows.strategy import Explained
from ogai.render.report import render_page, save_page
from ogai.render.strategy.bars import draw_legend, draw_stages
from ogai.render.strategy.timeline import draw_ranks, kinds_legend
from ogai.render.strategy.words import cut, held, share, step
from ogai.render.table import console, print_fields

__all__ = ["derivation_lines", "print_explained", "quantity", "write_page"]

TOLD = 0.0005
"""Terms below this share of the whole are left out of a picture's table."""


def print_explained(explained: Explained, timeline: Timeline, *, whole: bool) -> None:
    """Print the pictures and the terms, or the derivations of what was asked for."""
    if not whole:
        for one in filter(None, (explained.step, *explained.stages)):
            click.echo("\n".join(derivation_lines(one)))
        return
    print_fields(list(_head(explained)))
    screen = console()
    coloured = screen.is_terminal and screen.color_system is not None and not screen.no_color
    width = screen.width
    click.echo("\nthe step, rank by rank")
    for line in draw_ranks(timeline, width, coloured=coloured):
        screen.print(line, no_wrap=True, highlight=False)
    screen.print(kinds_legend(timeline, coloured=coloured), highlight=False)
    if explained.step is not None:
        click.echo("\nseconds of the slowest stage")
        print_fields(list(_terms(explained.step)))
    click.echo("\nbytes of a rank, by pipeline stage")
    stages = [{part.name: round(part.value) for part in one.parts} for one in explained.stages]
    for line in draw_stages(
        stages, explained.layers, explained.device_memory_bytes, width, coloured=coloured
    ):
        screen.print(line, no_wrap=True, highlight=False)
    screen.print(draw_legend(coloured=coloured), highlight=False)
    click.echo("\nwhere one comes from: --term NAME; both pictures on a page: --html FILE")


def _head(explained: Explained) -> Iterator[tuple[str, str]]:
    workload = explained.strategy.workload
    if workload is not None:
        batch = f"{workload.global_batch_size:,} sequences of {workload.sequence_length:,} tokens a step"
        yield "model", f"{workload.architecture.name}, {batch}"
    yield "machine", f"{explained.devices:,} × {explained.device}"
    yield "cut", f"{cut(explained.strategy)}; {held(explained.strategy)}"
    if explained.step is not None:
        yield (
            "step",
            f"{step(explained.step.value)}; turn by turn {step(explained.turns_s)}, before what comes after",
        )


def _terms(whole: Derivation) -> Iterator[tuple[str, str]]:
    for part in sorted(whole.parts, key=lambda part: -part.value):
        if part.value >= TOLD * whole.value:
            yield (
                f"  {part.name}",
                f"{step(part.value):>9}  {share(part.value / whole.value):>5}  {part.meaning}",
            )


def derivation_lines(one: Derivation, depth: int = 0) -> Iterator[str]:
    """A number, its formula, what was put in, and below it the numbers that it is made of."""
    margin = "  " * depth
    yield f"{margin}{one.name} = {quantity(one)}  {one.meaning}"
    yield f"{margin}  = {one.formula}"
    width = max((len(given.symbol) for given in one.inputs), default=0)
    for given in one.inputs:
        yield f"{margin}    {given.symbol:<{width}}  {_plain(given.value):>12}  {given.meaning}"
    if one.source:
        yield f"{margin}  from {one.source}"
    for part in one.parts:
        yield from derivation_lines(part, depth + 1)


def quantity(one: Derivation) -> str:
    """A number with its unit."""
    return format_bytes(round(one.value)) if one.unit == "bytes" else step(one.value)


def _plain(value: float) -> str:
    return f"{value:,.0f}" if value == int(value) and abs(value) < 1e9 else f"{value:.6g}"


def write_page(explained: Explained, timeline: Timeline, path: Path) -> None:
    """Write both pictures, the terms and all derivations as one page; errors as of a report."""
    from ogai.render.strategy.page import plan_page

    try:
        html = render_page(plan_page(explained, timeline))
    except ModuleNotFoundError as error:
        raise UnsatisfiableError(
            "making a page",
            found=f"no Python module `{error.name}`",
            expected="the extra `report`, which draws and lays out",
            hint="pip install --upgrade 'ogai[report]'",
        ) from error
    save_page(html, path)
