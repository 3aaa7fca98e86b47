"""`ogai cluster up`: from bare hosts to a cluster."""

from pathlib import Path

import click

from ogai.commands.cluster.arguments import DURATION, changing_options, check_option, name_option, password_of
from ogai.render import Output, emit, output_option

__all__ = ["up"]

EPILOG = """\b
Examples:
  ogai cluster up lab.yaml            look, show the plan, ask, do it
  ogai cluster up lab.yaml --yes      without asking
  ogai cluster up --limit gpu[17-32]  only these nodes, and the controller
  ogai cluster up --dry-run           only look and show
  ogai cluster up --full              every role again, whatever holds already

What was done is kept for every node and role: a second run does only what is missing, changed or no longer holds,
and goes on where another was ended, however it was ended. Exit code 3: a node belongs to another cluster; 4: too
little is known, or a dry run did not see a node; 5: one could not be brought up; 6: one is up and unfit for work.
"""


@click.command(epilog=EPILOG)
@click.argument("file", metavar="[FILE|NAME]", required=False, type=click.Path(path_type=Path))
@name_option
@click.option("--limit", metavar="NODESET", help="Only these nodes, and the controller.")
@click.option("--full", is_flag=True, help="Apply every role, whatever holds already.")
@changing_options
@check_option
@click.option(
    "--host-timeout",
    "silence_s",
    metavar="DURATION",
    type=DURATION,
    default="15m",
    show_default=True,
    help="A node of which nothing is heard for so long is given up.",
)
@output_option
def up(
    file: Path | None,
    name: str | None,
    limit: str | None,
    full: bool,
    dry_run: bool,
    yes: bool,
    ask_sudo_password: bool,
    check: bool,
    silence_s: float,
    output: Output,
) -> None:
    """Make hosts a cluster as FILE says, or bring what has drifted back.

    FILE is a `cluster` document: `ogai schema example cluster` shows one. NAME is a cluster that is kept here.
    """
    from ogai.flows import cluster as flow
    from ogai.render.cluster.brought import print_brought
    from ogai.render.cluster.work import Agreement

    with Agreement(yes=yes, dry_run=dry_run) as shown:
        brought = flow.up(
            file,
            name=name,
            limit=limit,
            full=full,
            password=password_of(ask=ask_sudo_password),
            silence_s=silence_s,
            agree=shown.agree,
            on_node=shown.looked,
            on_progress=shown.progress,
            on_wait=shown.waits,
            dry_run=dry_run,
            check=flow.gate if check else None,
        )
    emit(brought, output, print_brought)
    flow.raise_for_failed(brought)
    if brought.run:
        click.echo("next: ogai cluster check --level medium", err=True)
