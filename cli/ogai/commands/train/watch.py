"""`ogai train watch`: a run as it goes on; leaving it leaves the run."""

import click

from ogai.commands.epilog import examples
from ogai.commands.train.arguments import run_argument
from ogai.commands.train.attend import ENDS
from ogai.commands.train.attend import watch as watch_run
from ogai.commands.train.view import can_show, print_once
from ogai.flows import train as flow

__all__ = ["watch"]


@click.command(
    epilog=examples("ogai train watch tiny-llama-1", "ogai train watch --once tiny-llama-1") + ENDS
)
@run_argument
@click.option("--once", is_flag=True, help="Print one picture and leave.")
def watch(run_id: str, once: bool) -> None:
    """Show how a run goes on: progress, curves, speed, checkpoints, faults. q or Ctrl-C leaves; the run goes on."""
    run = flow.find(run_id)
    if once or not can_show():
        print_once(run.run_id)
    else:
        watch_run(run.run_id)
