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
from ogai.render.strategy.derived import derivation_lines, quantity
from ogai.render.strategy.timeline import draw_timeline
from ogai.render.strategy.words import cut, held, share, step
from ogai.render.table import Column, console, paints, print_fields, print_heading, print_table

__all__ = ["print_explained", "write_page"]

TOLD = 0.0005
"""Terms below this share of the whole are left out of a table."""


def print_explained(explained: Explained, timeline: Timeline, *, whole: bool) -> None:
    """Print the pictures and the terms, or the derivations of what was asked for; what to do next goes to stderr."""
    if not whole:
        _print_derived(explained)
        return
    print_fields(list(_head(explained)))
    print()
    _print_step(timeline)
    if explained.step is not None:
        print()
        print_heading(f"Seconds of {explained.step.meaning}")
        _print_terms(explained.step)
    print()
    _print_stages(explained)
    click.echo(
        "where one comes from: --term NAME, of another stage: --stage P; all on a page: --html FILE", err=True
    )


def _print_derived(explained: Explained) -> None:
    """The term of a step's seconds, or of the bytes of the stage that has most of it."""
    if explained.step is not None:
        print("\n".join(derivation_lines(explained.step)))
        parts = explained.step.parts
    else:
        at = max(range(len(explained.stages)), key=lambda one: explained.stages[one].value)
        several = ", which has most of it" if len(explained.stages) > 1 else ""
        print_heading(f"Stage {explained.first_stage + at}{several}")
        print("\n".join(derivation_lines(explained.stages[at])))
        parts = explained.stages[at].parts
    if parts:
        click.echo(f"its parts are explained by their own names: --term {parts[0].name}", err=True)


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
    yield "memory", _memory(explained)


def _memory(explained: Explained) -> str:
    """What the fullest stage needs, and whether the device has it."""
    at = max(range(len(explained.stages)), key=lambda one: explained.stages[one].value)
    needs, has = round(explained.stages[at].value), explained.device_memory_bytes
    told = f"{format_bytes(needs)} on stage {explained.first_stage + at}"
    if needs <= has:
        return f"{told}, fits: {format_bytes(has - needs)} of {format_bytes(has)} free"
    return f"{told}, does not fit: {format_bytes(needs - has)} more than {format_bytes(has)}"


def _print_step(timeline: Timeline) -> None:
    screen = console()
    print_heading("The step, rank by rank")
    for line in draw_timeline(timeline, screen.width, coloured=paints(screen)):
        screen.print(line, no_wrap=True, highlight=False)


def _print_terms(whole: Derivation) -> None:
    parts = [part for part in whole.parts if part.value >= TOLD * whole.value]
    print_table(
        (
            Column[Derivation](title="TERM", value=lambda part: part.name),
            Column[Derivation](
                title="BYTES" if whole.unit == "bytes" else "TIME", value=quantity, align="right"
            ),
            Column[Derivation](
                title="SHARE", value=lambda part: share(part.value / whole.value), align="right"
            ),
            Column[Derivation](title="WHAT IT IS", value=lambda part: part.meaning),
        ),
        sorted(parts, key=lambda part: -part.value),
    )


def _print_stages(explained: Explained) -> None:
    """Bars of all stages, and the terms of the fullest."""
    screen = console()
    coloured, capacity = paints(screen), explained.device_memory_bytes
    stages = [{part.name: round(part.value) for part in one.parts} for one in explained.stages]
    print_heading("Bytes of a rank, by pipeline stage")
    for line in draw_stages(
        stages, explained.layers, capacity, screen.width, coloured=coloured, number=explained.first_stage
    ):
        screen.print(line, no_wrap=True, highlight=False)
    screen.print(draw_legend(coloured=coloured), highlight=False)
    print()
    at = max(range(len(stages)), key=lambda one: explained.stages[one].value)
    print_heading(
        f"Bytes of stage {explained.first_stage + at}" + (", the fullest" if len(stages) > 1 else "")
    )
    _print_terms(explained.stages[at])


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
