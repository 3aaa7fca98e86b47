"""`ogai train compare`: a column for each run."""

from collections.abc import Callable, Sequence

import msgspec

from l3_modeltools import Comparison
from ogai.render.moment import stopwatch
from ogai.render.table import Column, print_table
from ogai.render.train.words import loss, number

__all__ = ["describe_differences", "describe_outcomes", "print_comparison"]

Line = tuple[str, ...]


def print_comparison(compared: Comparison) -> None:
    """Print the numbers, then the fields of the trainings that differ."""
    runs = [summary.run_id for summary in compared.summaries]
    lines = [*describe_outcomes(compared), *describe_differences(compared)]
    print_table([Column[Line](title="", value=cell(0)), *columns(runs)], lines)


def describe_outcomes(compared: Comparison) -> list[Line]:
    """Say what came of each run: a name, then a value for each."""
    summaries = compared.summaries
    return [
        ("state", *(summary.state for summary in summaries)),
        ("step", *(str(summary.step) for summary in summaries)),
        ("tokens", *(number(summary.tokens) for summary in summaries)),
        ("loss", *(loss(s.last_loss.loss if s.last_loss else None) for s in summaries)),
        (
            f"loss at {number(compared.equal_tokens)} tokens",
            *(loss(value) for value in compared.losses_at_equal_tokens),
        ),
        (
            "best validation loss",
            *(loss(s.best_validation.loss if s.best_validation else None) for s in summaries),
        ),
        ("tokens/s", *(number(summary.tokens_per_s) for summary in summaries)),
        ("time at work", *(stopwatch(s.at_work_s) if s.at_work_s is not None else "-" for s in summaries)),
    ]


def describe_differences(compared: Comparison) -> list[Line]:
    """Say which fields of their trainings differ: a path, then a value for each."""
    return [(each.path, *map(written, each.values)) for each in compared.differences]


def columns(runs: Sequence[str]) -> list[Column[Line]]:
    return [Column[Line](title=run, value=cell(index)) for index, run in enumerate(runs, start=1)]


def cell(index: int) -> Callable[[Line], str]:
    return lambda line: line[index]


def written(value: object) -> str:
    """Write the value of a field; one that a run does not have as `-`."""
    return "-" if value is None else value if isinstance(value, str) else msgspec.json.encode(value).decode()
