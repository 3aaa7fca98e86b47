"""`ogai train stop|resume`: end a run without loss, and take it up again."""

import click

from ogai.commands.epilog import examples
from ogai.commands.train.arguments import run_argument
from ogai.commands.train.attend import ENDS, attend_end, stay
from ogai.flows import train as flow

__all__ = ["resume", "stop"]


@click.command(
    epilog=examples("ogai train stop tiny-llama-1", "ogai train stop --no-wait tiny-llama-1   back at once")
)
@run_argument
@click.option("--wait/--no-wait", "waiting", default=True, help="Stay until it has saved and ended. [wait]")
def stop(run_id: str, waiting: bool) -> None:
    """Let a run save its state, then end it; leaving this does not keep it from ending."""
    run = flow.stop(run_id)
    if waiting:
        attend_end(run.run_id)
    else:
        click.echo(
            f"run {run.run_id} saves its state and ends; how far it is: ogai train watch {run.run_id}",
            err=True,
        )
        click.echo(f"go on later: ogai train resume {run.run_id}", err=True)


@click.command(epilog=examples("ogai train resume tiny-llama-1", "ogai train resume -f tiny-llama-1") + ENDS)
@run_argument
@click.option("-f", "--follow", is_flag=True, help="Stay and show how it goes until its end.")
def resume(run_id: str, follow: bool) -> None:
    """Go on from the newest sound checkpoint of a run that ended early."""
    run = flow.resume(run_id)
    click.echo(f"{run.run_id} is queued again as job {run.job_ids[-1]}", err=True)
    if follow:
        stay(run.run_id)
    else:
        click.echo(f"next: ogai train watch {run.run_id}", err=True)
