"""How far off the cost model is, as a table."""

from collections.abc import Iterator
from dataclasses import dataclass

import click

from l3_modeltools import DatasetScore, Errors, Scored
from l3_modeltools.schemas import Calibration
from ogai.flows.strategy import Score
from ogai.render.table import Column, print_fields, print_table

__all__ = ["print_calibration", "print_score"]


def print_score(score: Score, *, each: bool = False) -> None:
    """Print a line for the time of each data set and one for its memory; before them each run when they are wanted."""
    if each:
        _print_runs(score)
        print()
    print_table(
        (
            Column[Line](title="DATASET", value=lambda one: one.dataset),
            Column[Line](title="RUNS", value=lambda one: one.runs, align="right"),
            Column[Line](title="REFUSED", value=lambda one: one.refused, align="right"),
            Column[Line](title="OF", value=lambda one: one.of),
            Column[Line](title="MEASURED", value=lambda one: one.shown("rows", ","), align="right"),
            Column[Line](title="MAPE", value=lambda one: one.shown("mape", ".2%"), align="right"),
            Column[Line](title="MEDIAN", value=lambda one: one.shown("median", ".2%"), align="right"),
            Column[Line](title="WORST", value=lambda one: one.shown("worst", "+.1%"), align="right"),
            Column[Line](title="BIAS", value=lambda one: one.shown("bias", "+.2%"), align="right"),
        ),
        [line for one in score.datasets for line in _lines(one)],
    )
    _print_remarks(score)


@dataclass(frozen=True, slots=True)
class Line:
    dataset: str
    runs: str
    refused: str
    of: str
    errors: Errors | None

    def shown(self, name: str, form: str) -> str:
        """One of the errors; a dash where nothing was measured."""
        return "-" if self.errors is None else format(getattr(self.errors, name), form)


def _lines(one: DatasetScore) -> Iterator[Line]:
    """What was measured, time and memory; a data set of which nothing was has a line of dashes."""
    told = (("time", one.time), ("memory", one.memory))
    found = [(of, errors) for of, errors in told if errors is not None] or told[:1]
    names = (one.dataset, f"{one.rows:,}", f"{one.refused:,}")
    for at, (of, errors) in enumerate(found):
        yield Line(*(names if at == 0 else ("", "", "")), of, errors)


def print_calibration(calibration: Calibration) -> None:
    """Print the figures, and how well they fit what they were fitted on."""
    names = [name for name in calibration.__struct_fields__ if name not in ("name", "fitted", "sources")]
    figures = [(name, f"{getattr(calibration, name):.4g}") for name in names]
    fits = [
        (f"on {one.dataset}", f"{one.rows:,} runs, mean error {one.mape:.2%}") for one in calibration.fitted
    ]
    print_fields([*figures, *fits])


def _print_runs(score: Score) -> None:
    print_table(
        (
            Column[Scored](title="LINE", value=lambda one: str(one.run.line), align="right"),
            Column[Scored](title="DATASET", value=lambda one: one.run.dataset),
            Column[Scored](title="DEVICES", value=lambda one: f"{one.run.devices} {one.run.device}"),
            Column[Scored](title="PREDICTED", value=lambda one: _seconds(one.step_s), align="right"),
            Column[Scored](title="MEASURED", value=lambda one: _seconds(one.run.step_s), align="right"),
            Column[Scored](title="ERROR", value=lambda one: _share(one.step_error), align="right"),
            Column[Scored](title="PEAK", value=lambda one: _gib(one.peak_bytes), align="right"),
            Column[Scored](title="MEASURED", value=lambda one: _gib(one.run.peak_bytes), align="right"),
            Column[Scored](title="ERROR", value=lambda one: _share(one.peak_error), align="right"),
        ),
        score.runs,
    )


def _print_remarks(score: Score) -> None:
    """Name the runs that were not counted, on stderr: those the planner refuses, and those that cannot be."""
    for one in score.runs:
        if one.refused is not None:
            click.echo(f"line {one.run.line} is refused: {one.refused}", err=True)
        if one.doubted is not None:
            click.echo(f"line {one.run.line} is not counted: {one.doubted}", err=True)


def _seconds(number: float | None) -> str:
    return "-" if number is None else f"{number:.3f} s"


def _gib(number: float | None) -> str:
    return "-" if number is None else f"{number / 2**30:.1f} GiB"


def _share(number: float | None) -> str:
    return "-" if number is None else f"{number:+.1%}"
