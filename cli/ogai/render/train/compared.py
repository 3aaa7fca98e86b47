"""`ogai train compare`: a column for each run."""

from collections.abc import Callable, Sequence

import msgspec

from l3_modeltools import Comparison
from ogai.render.moment import stopwatch
from ogai.render.table import Column, print_table
from ogai.render.train.words import loss, number

__all__ = ["print_comparison"]

Line = tuple[str, ...]


def print_comparison(compared: Comparison) -> None:
    """Print the numbers, then the fields of the trainings that differ."""
    runs = [summary.run_id for summary in compared.summaries]
    lines: list[Line] = [
        ("state", *(summary.state for summary in compared.summaries)),
        ("step", *(str(summary.step) for summary in compared.summaries)),
        ("tokens", *(number(summary.tokens) for summary in compared.summaries)),
        ("loss", *(loss(s.last_loss.loss if s.last_loss else None) for s in compared.summaries)),
        (
            f"loss at {number(compared.equal_tokens)} tokens",
            *(loss(value) for value in compared.losses_at_equal_tokens),
        ),
        (
            "best validation loss",
            *(loss(s.best_validation.loss if s.best_validation else None) for s in compared.summaries),
        ),
        ("tokens/s", *(number(summary.tokens_per_s) for summary in compared.summaries)),
        ("time", *(stopwatch(s.wall_s) if s.wall_s is not None else "-" for s in compared.summaries)),
        *((each.path, *map(written, each.values)) for each in compared.differences),
    ]
    print_table([Column[Line](title="", value=cell(0)), *columns(runs)], lines)


def columns(runs: Sequence[str]) -> list[Column[Line]]:
    return [Column[Line](title=run, value=cell(index)) for index, run in enumerate(runs, start=1)]


def cell(index: int) -> Callable[[Line], str]:
    return lambda line: line[index]


def written(value: object) -> str:
    """Write the value of a field; one that a run does not have as `-`."""
    return "-" if value is None else value if isinstance(value, str) else msgspec.json.encode(value).decode()
