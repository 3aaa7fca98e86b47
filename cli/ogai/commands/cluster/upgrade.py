"""`ogai cluster upgrade`: a cluster is changed while it works."""

from pathlib import Path

import click

from ogai.commands.cluster.arguments import DURATION, changing_options, name_option, password_of
from ogai.render import Output, emit, output_option

__all__ = ["upgrade"]

EPILOG = """\b
Examples:
  ogai cluster upgrade pod.yaml        a tenth of the nodes at a time
  ogai cluster upgrade pod.yaml --share 0.25
  ogai cluster upgrade --dry-run

Each share is drained, and when nothing runs there any more, changed, checked and given back. The first share with a
node that fails is the last: its nodes stay drained, and the same command goes on from there.
"""


@click.command(epilog=EPILOG)
@click.argument("file", metavar="[FILE|NAME]", required=False, type=click.Path(path_type=Path))
@click.option(
    "--share",
    metavar="SHARE",
    type=click.FloatRange(min=0, max=1, min_open=True),
    default=0.1,
    show_default=True,
    help="Share of the compute nodes that may be out of work at a time; one node at least.",
)
@click.option(
    "--wait",
    "wait_s",
    metavar="DURATION",
    type=DURATION,
    default="1d",
    show_default=True,
    help="How long work that runs on a node is waited for.",
)
@click.option("--full", is_flag=True, help="Apply every role, whatever holds already.")
@name_option
@changing_options
@output_option
def upgrade(
    file: Path | None,
    share: float,
    wait_s: float,
    full: bool,
    name: str | None,
    dry_run: bool,
    yes: bool,
    ask_sudo_password: bool,
    output: Output,
) -> None:
    """Bring what changed to nodes at work, a share of them at a time."""
    from ogai.flows import cluster as flow
    from ogai.render.cluster.brought import print_brought
    from ogai.render.cluster.work import Agreement

    with Agreement(yes=yes, dry_run=dry_run) as shown:
        brought = flow.upgrade(
            file,
            name=name,
            share=share,
            full=full,
            wait_s=wait_s,
            password=password_of(ask=ask_sudo_password),
            agree=shown.agree,
            on_node=shown.looked,
            on_progress=shown.progress,
            on_wait=shown.waits,
            dry_run=dry_run,
            on_wave=lambda nodes: click.echo(f"next: {nodes}", err=True),
        )
    emit(brought, output, print_brought)
    again = " ".join(("ogai cluster upgrade", *([] if file is None else [str(file)])))
    flow.raise_for_failed(brought, go_on=again)
