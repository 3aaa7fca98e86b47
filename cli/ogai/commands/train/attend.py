"""Staying with a run until it ends; leaving it leaves it running, and says how to come back."""

import sys

import click

from l0_infra.core.errors import InterruptedByUser, UnhealthyError
from l3_modeltools.schemas import Run
from ogai.commands.train.view import can_show, show
from ogai.flows import train as flow
from ogai.render.train.ended import print_ended

__all__ = ["follow", "stay", "tell_end"]


def stay(run_id: str) -> None:
    """Show a run until its end: its view on a terminal, what it prints in a pipe.

    Raises UnhealthyError unless it completed, InterruptedByUser at Ctrl-C.
    """
    if can_show():
        watch(run_id)
    else:
        follow(run_id)


def watch(run_id: str) -> None:
    """Show the view of a run until its end, then how it ended; raises as `stay` does."""
    try:
        ended = show(run_id)
    except KeyboardInterrupt:
        raise left(run_id, f"ogai train watch {run_id}") from None
    if ended:
        tell_end(flow.find(run_id))
    else:
        click.echo(f"run {run_id} goes on without you; come back: ogai train watch {run_id}", err=True)


def follow(run_id: str) -> None:
    """Print what the run prints until its end, then how it ended; raises as `stay` does."""
    stdout = sys.stdout.buffer
    try:
        for piece in flow.output(run_id, follow=True):
            stdout.write(piece)
            stdout.flush()
        run = flow.wait(run_id)
    except KeyboardInterrupt:
        raise left(run_id, f"ogai train logs -f {run_id}") from None
    tell_end(run)


def tell_end(run: Run) -> None:
    """Say what came of a run and what can be done with it. Raises UnhealthyError unless it completed."""
    if run.state != "COMPLETED":
        raise UnhealthyError(
            f"run {run.run_id}",
            found=f"{run.state}: {run.reason}",
            expected="COMPLETED",
            hint=f"ogai train show {run.run_id}; go on from the newest checkpoint: ogai train resume {run.run_id}",
        )
    print_ended(run)


def left(run_id: str, again: str) -> InterruptedByUser:
    return InterruptedByUser(
        f"run {run_id}",
        found="Ctrl-C",
        expected="its end",
        hint=f"it goes on without you; come back: {again}",
    )
