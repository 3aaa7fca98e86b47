"""`ogai cluster down`: the nodes are hosts again."""

import click

from ogai.commands.cluster.arguments import changing_options, name_option, password_of
from ogai.render import Output, emit, output_option

__all__ = ["down"]

EPILOG = """\b
Examples:
  ogai cluster down --dry-run
  ogai cluster down
  ogai cluster down --purge      data go, too: what ran, figures over time

Services that were brought are stopped, files that were written go, and files that were there before come back.
Packages, accounts and shared file systems stay.
"""


@click.command(epilog=EPILOG)
@click.option("--purge", is_flag=True, help="Remove the data, too.")
@click.option("--force", is_flag=True, help="Forget the cluster though a node does not answer.")
@name_option
@changing_options
@output_option
def down(
    purge: bool,
    force: bool,
    name: str | None,
    dry_run: bool,
    yes: bool,
    ask_sudo_password: bool,
    output: Output,
) -> None:
    """Take a cluster down: what it brought to its nodes goes, and it is forgotten here."""
    from ogai.flows import cluster as flow
    from ogai.render.cluster.brought import print_undone
    from ogai.render.cluster.work import Agreement

    with Agreement(yes=yes, dry_run=dry_run) as shown:
        undone = flow.down(
            name,
            purge=purge,
            force=force,
            password=password_of(ask=ask_sudo_password),
            agree=shown.agree_text,
            on_wait=shown.waits,
        )
    emit(undone, output, print_undone)
    flow.raise_for_failed(undone)
