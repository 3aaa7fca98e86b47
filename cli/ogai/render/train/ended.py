"""What a person reads when a run has ended well."""

import click

from l3_modeltools.schemas import Run
from ogai.flows.train.stopping import describe_left
from ogai.render.moment import brief
from ogai.render.train.words import loss, number

__all__ = ["print_ended", "print_stopped"]


def print_ended(run: Run) -> None:
    """Print on stderr what came of it and what can be done with it."""
    click.echo(f"run {run.run_id}: {describe_end(run)}", err=True)
    use = f"; ogai train sample {run.run_id} TEXT; ogai train export {run.run_id} --to DIRECTORY"
    click.echo(f"next: ogai train show {run.run_id}{use if run.train.framework == 'ogai' else ''}", err=True)


def print_stopped(run: Run) -> None:
    """Print on stderr what is saved of a run that was stopped, and how it goes on."""
    click.echo(f"run {run.run_id}: {run.reason}; {describe_left(run)}", err=True)
    click.echo(f"next: ogai train resume {run.run_id}", err=True)


def describe_end(run: Run) -> str:
    """Write `COMPLETED: 732 steps, 750K tokens in 2m51s, validation loss 4.744`, as far as it is known."""
    figures = run.figures
    parts = [f"{run.step} steps" if run.step else ""]
    if figures.tokens:
        spent = f" in {brief(figures.at_work_s)}" if figures.at_work_s else ""
        parts.append(f"{number(figures.tokens)} tokens{spent}")
    if figures.validation_loss is not None:
        parts.append(f"validation loss {loss(figures.validation_loss)}")
    told = ", ".join(filter(None, parts))
    return f"{run.state}: {told}" if told else run.state
