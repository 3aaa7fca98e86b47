"""`ogai train list|show|compare`: runs, one run, runs side by side."""

import time

import click

from ogai.commands.epilog import examples
from ogai.commands.train.arguments import RunId, run_argument
from ogai.flows import train as flow
from ogai.render import Output, emit, output_option
from ogai.render.train.compared import print_comparison
from ogai.render.train.detail import print_run
from ogai.render.train.table import print_runs

__all__ = ["compare", "list_", "show"]


@click.command("list", epilog=examples("ogai train list", "ogai train list -o json | jq -r '.[].run_id'"))
@output_option
def list_(output: Output) -> None:
    """Show all runs, the newest first."""
    runs = flow.poll()
    for one in flow.damaged():
        click.echo(f"left out, for it is damaged: {one.directory.name}: {one.reason}", err=True)
    if output == "table" and not runs:
        click.echo("no runs yet; the first: ogai train submit train.yaml", err=True)
        return
    emit(runs, output, lambda shown: print_runs(shown, time.time()))


@click.command(epilog=examples("ogai train show tiny-llama-1", "ogai train show tiny-llama-1 -o json"))
@run_argument
@output_option
def show(run_id: str, output: Output) -> None:
    """Show everything about one run: its state, its figures, its checkpoints, what it wrote, what to do next."""
    emit(
        flow.find(run_id),
        output,
        lambda run: print_run(run, flow.samples(run.run_id), time.time(), flow.met(run.run_id)),
    )


@click.command(epilog=examples("ogai train compare tiny-llama-1 tiny-llama-2"))
@click.argument("run_ids", metavar="RUN RUN…", nargs=-1, required=True, type=RunId())
@output_option
def compare(run_ids: tuple[str, ...], output: Output) -> None:
    """Put runs side by side: the fields of their trainings that differ, and what came of each."""
    emit(flow.compare(*run_ids), output, print_comparison)
