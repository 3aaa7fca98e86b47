"""How far off the cost model is, as a table."""

from l3_modeltools import DatasetScore, Scored
from l3_modeltools.schemas import Calibration
from ogai.flows.strategy import Score
from ogai.render.table import Column, print_fields, print_table

__all__ = ["print_calibration", "print_score"]


def print_score(score: Score, *, each: bool = False) -> None:
    """Print a line for each data set, and before them one for each run when they are wanted."""
    if each:
        _print_runs(score)
        print()
    print_table(
        (
            Column[DatasetScore](title="DATASET", value=lambda one: one.dataset),
            Column[DatasetScore](title="RUNS", value=lambda one: f"{one.rows:,}", align="right"),
            Column[DatasetScore](title="MEAN ERROR", value=lambda one: f"{one.mape:.2%}", align="right"),
            Column[DatasetScore](title="MEDIAN", value=lambda one: f"{one.median:.2%}", align="right"),
            Column[DatasetScore](title="WORST", value=lambda one: f"{one.worst:+.1%}", align="right"),
            Column[DatasetScore](title="BIAS", value=lambda one: f"{one.bias:+.2%}", align="right"),
        ),
        score.datasets,
    )


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
            Column[Scored](title="PREDICTED", value=lambda one: f"{one.step_s:.3f} s", align="right"),
            Column[Scored](
                title="MEASURED",
                value=lambda one: "-" if one.run.step_s is None else f"{one.run.step_s:.3f} s",
                align="right",
            ),
            Column[Scored](
                title="ERROR",
                value=lambda one: "-" if one.error is None else f"{one.error:+.1%}",
                align="right",
            ),
        ),
        score.runs,
    )
