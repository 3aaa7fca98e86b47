"""`ogai train list`: one line a run."""

from collections.abc import Sequence

from l3_modeltools.schemas import Run
from ogai.render.moment import ago, stopwatch
from ogai.render.table import Column, print_table
from ogai.render.train.words import loss, number

__all__ = ["print_runs"]


def print_runs(runs: Sequence[Run], now: float) -> None:
    """Print the runs on stdout, in the order given."""
    print_table(
        (
            Column[Run](title="RUN", value=lambda run: run.run_id),
            Column[Run](title="STATE", value=lambda run: run.state),
            Column[Run](title="STEP", value=describe_step, align="right"),
            Column[Run](title="TOKENS", value=lambda run: number(run.figures.tokens), align="right"),
            Column[Run](title="LOSS", value=lambda run: loss(run.figures.loss), align="right"),
            Column[Run](
                title="VALIDATION", value=lambda run: loss(run.figures.validation_loss), align="right"
            ),
            Column[Run](title="TOKENS/S", value=lambda run: number(run.figures.tokens_per_s), align="right"),
            Column[Run](title="AT WORK", value=lambda run: describe_time(run), align="right"),
            Column[Run](title="SUBMITTED", value=lambda run: ago(now - run.submitted_at)),
        ),
        runs,
    )


def describe_step(run: Run) -> str:
    """Write how far it is: `120/732`."""
    return f"{run.step}/{run.train.steps}" if run.train.steps else str(run.step)


def describe_time(run: Run) -> str:
    """Write how long it was at work."""
    return stopwatch(run.figures.at_work_s) if run.figures.at_work_s is not None else "-"
