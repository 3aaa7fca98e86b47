"""A drill as a person reads it: what will be done before, and a line for each fault afterwards."""

from collections.abc import Iterator

import click

from l0_infra.core.units import format_count
from l3_modeltools import DrillReport, DrillResult, summarize_drill
from ogai.flows.train.drills import PlannedDrill
from ogai.render.table import Column, print_table
from ogai.render.train.words import done

__all__ = ["describe_drill", "describe_result", "print_drill"]

VERDICTS = {"right": "right", "wrong": "WRONG", "missed": "NOT NOTICED", "not_fired": "NEVER HAPPENED"}


def describe_drill(planned: PlannedDrill) -> str:
    """Say what each fault will do and what could be lost."""
    return "\n".join(_plan_lines(planned))


def _plan_lines(planned: PlannedDrill) -> Iterator[str]:
    blows = planned.plan.blows
    yield f"{planned.target} will be broken on purpose: {format_count(len(blows), 'fault')}, seed {planned.plan.seed}"
    for number, blow in enumerate(blows, 1):
        yield f"{number:4}  {blow.trouble}: {blow.describe()}"
        yield f"      can cost: {blow.kind.costs}"
    if planned.plan.restarts:
        yield (
            f"at most {format_count(planned.plan.restarts, 'restart')} of the ranks; "
            f"{planned.restarts_left} are left of the run's budget"
        )


def describe_result(result: DrillResult) -> str:
    """Say in a line how a fault was taken."""
    if result.verdict == "not_fired":
        return f"  {result.trouble}: it never happened"
    parts = [
        f"noticed as {result.noticed_as} after {_seconds(result.noticed_after_s)}"
        if result.noticed_as
        else "not noticed",
        f"next new step after {_seconds(result.resumed_after_s)}",
        f"{format_count(result.redone_steps, 'step')} done again" if result.redone_steps else "",
    ]
    return f"  {result.trouble}: {', '.join(filter(None, parts))}"


def print_drill(report: DrillReport) -> None:
    """Print a line for each fault, and the sum."""
    print_table(COLUMNS, report.results)
    click.echo(summarize_drill(report), err=True)


def _seconds(value: float | None) -> str:
    return "-" if value is None else f"{value:.1f} s"


COLUMNS = (
    Column[DrillResult](title="DRILL", value=lambda result: result.trouble),
    Column[DrillResult](title="STEP", value=lambda result: str(result.step or "-"), align="right"),
    Column[DrillResult](title="NOTICED AS", value=lambda result: result.noticed_as or "-"),
    Column[DrillResult](title="VERDICT", value=lambda result: VERDICTS[result.verdict]),
    Column[DrillResult](title="AFTER", value=lambda result: _seconds(result.noticed_after_s), align="right"),
    Column[DrillResult](
        title="NEW STEP AFTER", value=lambda result: _seconds(result.resumed_after_s), align="right"
    ),
    Column[DrillResult](title="REDONE", value=lambda result: str(result.redone_steps), align="right"),
    Column[DrillResult](title="DONE ABOUT IT", value=lambda result: done(result.taken)),
)
