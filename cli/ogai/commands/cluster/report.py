"""`ogai cluster report`: a cluster as one page to look at, to send and to print."""

import os
from pathlib import Path

import click

from ogai.commands.cluster.arguments import ask_option, name_option, password_of
from ogai.commands.epilog import examples
from ogai.commands.words import FileName
from ogai.render.browser import open_page

__all__ = ["report"]


@click.command(
    epilog=examples(
        "ogai cluster report --open",
        "ogai cluster report --name pod1 --drift --html /tmp/pod1.html",
    )
)
@name_option
@click.option(
    "--html", "to", metavar="FILE.html", type=FileName(), help="Where it goes; default: NAME.html here."
)
@click.option(
    "--drift", is_flag=True, help="Look at the nodes for what has drifted, as `ogai cluster diff` does."
)
@click.option("--open", "opened", is_flag=True, help="Show it in the browser.")
@ask_option
def report(name: str | None, to: str | None, drift: bool, opened: bool, ask_sudo_password: bool) -> None:
    """Write one HTML file on a cluster: nodes × checks, what is wrong, bring-up, speeds, versions, drift.

    It needs no network and nothing beside it, and is made of what runs and checks left. Prints its path.
    """
    from ogai.flows import cluster as flow
    from ogai.render.cluster.report import write_report

    password = password_of(ask=ask_sudo_password) if drift else None
    gathered = flow.gather_report(name, drift=drift, password=password)
    path = write_report(gathered, None if to is None else Path(to))
    click.echo(path)
    if opened and not open_page(path, os.environ):
        click.echo("no browser can be opened from here", err=True)
