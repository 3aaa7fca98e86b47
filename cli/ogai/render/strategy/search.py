"""The best strategies as a table, why each is good, and where the first one's memory goes."""

from collections.abc import Sequence
from pathlib import Path

import click

from l0_infra.core.units import format_bytes
from ogai.flows.strategy import Offer, Plan
from ogai.render.strategy.bars import draw_legend, draw_stages
from ogai.render.strategy.words import cut, held, rate, share, step, why
from ogai.render.table import Column, console, paints, print_heading, print_table
from ogai.render.train.words import number

__all__ = ["offer_columns", "print_plan"]


def print_plan(plan: Plan, *, written: Path | None = None) -> None:
    """Print the table, the reasons, the bars of the best one; how much was looked at goes to stderr."""
    print_heading(f"{plan.model}, {number(plan.parameters)} parameters, on {plan.devices:,} × {plan.device}")
    batch = f"{plan.global_batch_size:,} × {plan.sequence_length:,} tokens a step"
    click.echo(f"{batch}, {plan.framework or 'whatever the framework'}")
    print()
    print_table(offer_columns(plan.tokens), _numbered(plan.offers))
    print()
    _print_reasons(plan.offers)
    print()
    _print_bars(plan)
    if plan.front:
        print()
        print_heading("Fastest for less and less memory")
        print_table(offer_columns(plan.tokens), _numbered(plan.front))
    click.echo(_looked_at(plan), err=True)
    if written:
        click.echo(f"the first is in {written}, for `ogai strategy export`", err=True)


Row = tuple[int, Offer]


def offer_columns(tokens: float | None) -> list[Column[Row]]:
    """Columns of a table of offers; days and cost where the training's tokens are known."""
    columns = [
        Column[Row](title="#", value=lambda one: f"{one[0]}", align="right"),
        Column[Row](title="CUT", value=lambda one: cut(one[1].strategy)),
        Column[Row](title="STEP", value=lambda one: step(one[1].outlook.step_s), align="right"),
        Column[Row](title="TOKENS", value=lambda one: rate(one[1].outlook.tokens_per_s), align="right"),
        Column[Row](title="MFU", value=lambda one: _mfu(one[1]), align="right"),
        Column[Row](title="PEAK", value=lambda one: format_bytes(one[1].outlook.peak_bytes), align="right"),
    ]
    if tokens:
        title = f"{number(tokens)} IN"
        columns.append(Column[Row](title=title, value=lambda one: _days(one[1]), align="right"))
    return columns


def _numbered(offers: Sequence[Offer]) -> list[Row]:
    return list(enumerate(offers, 1))


def _mfu(offer: Offer) -> str:
    return "-" if offer.outlook.mfu is None else share(offer.outlook.mfu)


def _days(offer: Offer) -> str:
    days, cost = offer.outlook.days, offer.outlook.cost
    told = "-" if days is None else f"{days:.1f} d" if days < 100 else f"{days:,.0f} d"
    return told if cost is None else f"{told}, {number(cost)}"


def _print_reasons(offers: Sequence[Offer]) -> None:
    """Each one's ways, and what it spends beside work."""
    from rich.table import Table
    from rich.text import Text

    terminal = console()
    if not terminal.is_terminal:
        for at, offer in enumerate(offers, 1):
            click.echo(f"{at}  {held(offer.strategy)}: {why(offer)}")
        return
    grid = Table.grid(padding=(0, 2, 0, 0))
    for at, offer in enumerate(offers, 1):
        grid.add_row(
            Text(f"{at}", style="bold"), Text.assemble(held(offer.strategy), (f"\n{why(offer)}", "dim"))
        )
    terminal.print(grid)


def _print_bars(plan: Plan) -> None:
    best, terminal = plan.offers[0], console()
    coloured = paints(terminal)
    width = terminal.width if terminal.is_terminal else 100
    print_heading(f"Memory of a device by stage, of {format_bytes(plan.device_memory_bytes)}, with the first")
    for line in draw_stages(best.stages, best.layers, plan.device_memory_bytes, width, coloured=coloured):
        terminal.print(line, soft_wrap=True)
    terminal.print(draw_legend(coloured=coloured))


def _looked_at(plan: Plan) -> str:
    return (
        f"{plan.shapes:,} ways to cut: {plan.too_slow:,} proven slower, {plan.too_large:,} proven too large;\n"
        f"layers of {plan.dealt:,} dealt exactly, {plan.priced:,} strategies priced"
    )
