"""`ogai train report`: runs as one page to look at, to send and to print."""

import os
from pathlib import Path

import click

from ogai.commands.epilog import examples
from ogai.commands.train.arguments import RunId
from ogai.commands.words import FileName
from ogai.render.browser import open_page

__all__ = ["report"]


@click.command(
    epilog=examples(
        "ogai train report tiny-llama-1 --open",
        "ogai train report tiny-llama-1 tiny-llama-2 --to both.html",
    )
)
@click.argument("run_ids", metavar="RUN…", nargs=-1, required=True, type=RunId())
@click.option(
    "--to",
    metavar="FILE.html",
    type=FileName(),
    help="Where it goes; default: report.html in the run's directory, of several runs in the current one.",
)
@click.option("--open", "opened", is_flag=True, help="Show it in the browser.")
def report(run_ids: tuple[str, ...], to: str | None, opened: bool) -> None:
    """Write one HTML file on a run: its curves, faults, time, texts, specification; or on several, side by side.

    It needs no network and nothing beside it. Prints its path.
    """
    from ogai.render.train.report import write_report

    path = write_report(run_ids, None if to is None else Path(to))
    click.echo(path)
    if opened and not open_page(path, os.environ):
        click.echo("no browser can be opened from here", err=True)
