"""`ogai train logs`: what a run printed, over all its jobs."""

import sys

import click

from ogai.commands.epilog import examples
from ogai.commands.train.arguments import run_argument
from ogai.commands.train.attend import ENDS
from ogai.commands.train.attend import follow as follow_run
from ogai.flows import train as flow

__all__ = ["logs"]


@click.command(epilog=examples("ogai train logs tiny-llama-1", "ogai train logs -f tiny-llama-1") + ENDS)
@run_argument
@click.option("-f", "--follow", is_flag=True, help="Go on until the run has ended.")
def logs(run_id: str, follow: bool) -> None:
    """Print what a run printed."""
    if follow:
        follow_run(run_id)
        return
    stdout = sys.stdout.buffer
    for piece in flow.output(run_id):
        stdout.write(piece)
    stdout.flush()
