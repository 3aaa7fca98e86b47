"""Staying with a run until it ends; leaving it leaves it running, and says how to come back."""

import sys

import click

from l0_infra.core.errors import InterruptedByUser, UnhealthyError
from l3_modeltools.schemas import Run
from ogai.commands.train.view import can_show, show
from ogai.flows import train as flow
from ogai.flows.train.stopping import describe_left, watch_end
from ogai.render.train.ended import print_ended, print_stopped
from ogai.render.train.stopping import stopping_shown

__all__ = ["ENDS", "attend_end", "follow", "stay", "tell_end"]

ENDS = """

Exit code at the run's end: 0 when all steps are done, 6 when it failed, 130 when it was stopped on wish. 130 also when
you leave by Ctrl-C; the run goes on then.
"""


def stay(run_id: str) -> None:
    """Show a run until its end: its view on a terminal, what it prints in a pipe.

    Raises UnhealthyError where it failed, InterruptedByUser where a person stopped it, or left by Ctrl-C.
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


def attend_end(run_id: str) -> None:
    """Show a run that was told to end until it has, then what is saved of it. Raises UnhealthyError where it failed."""
    try:
        with stopping_shown(run_id) as report:
            for told in watch_end(run_id):
                report(told)
    except KeyboardInterrupt:
        raise InterruptedByUser(
            f"run {run_id}",
            found="Ctrl-C",
            expected="its end",
            hint=f"it saves and ends without you; come back: ogai train stop {run_id}",
        ) from None
    run = flow.find(run_id)
    if run.state == "CANCELLED":
        print_stopped(run)
    else:
        tell_end(run)


def tell_end(run: Run) -> None:
    """Say what came of a run and what can be done with it; raises as `stay` does."""
    if run.state == "CANCELLED":
        raise InterruptedByUser(
            f"run {run.run_id}",
            found=run.reason,
            expected="COMPLETED",
            hint=f"{run.reason}, as was wished; {describe_left(run)}; go on: ogai train resume {run.run_id}",
        )
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
