"""`ogai train submit`: plan, show, queue."""

import os

import click

from ogai.commands.epilog import examples
from ogai.commands.train.attend import ENDS, stay
from ogai.commands.words import FileName
from ogai.flows import train as flow
from ogai.flows.current_cluster import current_cluster
from ogai.render import Output, emit, output_option
from ogai.render.current_cluster import tell_place
from ogai.render.train.plan import print_plan, print_rehearsal
from ogai.render.train.submitted import print_submitted

__all__ = ["submit"]


@click.command(
    epilog=examples(
        "ogai train submit train.yaml --dry-run    the plan, and nothing else",
        "ogai train submit train.yaml -f",
        "ogai train submit train.yaml --set steps=2000 --set data.seed=2 --name long",
    )
    + ENDS
)
@click.argument("file", type=FileName())
@click.option("--name", metavar="NAME", help="Name instead of the document's; the run's id begins with it.")
@click.option("--on", metavar="CLUSTER", help="Where it runs; `local`, the default, is this machine.")
@click.option("--set", "settings", metavar="PATH=VALUE", multiple=True, help="Any field of the document.")
@click.option("--dry-run", is_flag=True, help="Show the plan and the job; queue nothing.")
@click.option("-f", "--follow", is_flag=True, help="Stay and show how it goes until its end.")
@output_option
def submit(
    file: str,
    name: str | None,
    on: str | None,
    settings: tuple[str, ...],
    dry_run: bool,
    follow: bool,
    output: Output,
) -> None:
    """Plan the training that FILE describes, show the plan, and put it into the queue. Prints the run's id."""
    wish = flow.read_wish(file, settings=settings, name=name)
    planned = flow.plan(wish, on=on)
    if on is None:
        tell_place(current_cluster(os.environ))
    if dry_run:
        print_rehearsal(planned, output)
        return
    print_plan(planned)
    run = flow.queue(planned)
    emit(run, output, lambda queued: print_submitted(queued, attended=follow))
    if follow:
        stay(run.run_id)
