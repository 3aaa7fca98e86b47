"""A strategy in a framework's words, as it is written: to be piped on."""

from pathlib import Path

import click

from l3_modeltools import Exported
from ogai.flows.strategy import text_of
from ogai.render.strategy.losses import say, say_losses

__all__ = ["print_exported"]


def print_exported(exported: Exported, *, written: Path | None) -> None:
    """Print the configuration, or where it was written; ranks and losses go to stderr."""
    click.echo(f"{written}\n" if written else text_of(exported), nl=False)
    say(f"start it with {exported.ranks:,} ranks")
    say_losses(exported.losses)
    if not exported.losses:
        say("everything carried over")
