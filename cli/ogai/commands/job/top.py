"""`ogai job top`: the machine and its jobs, live; q or Ctrl-C leaves."""

import contextlib
from typing import TYPE_CHECKING

import click

from ogai.commands.epilog import examples
from ogai.commands.keys import LEAVING, pressed, single_keys
from ogai.flows.engine import open_engine
from ogai.flows.job.watch import Watch
from ogai.render import console
from ogai.render.job.top import frame

if TYPE_CHECKING:
    from rich.console import Console

__all__ = ["top"]

EVERY_S = 2.0


@click.command(epilog=examples("ogai job top", "ogai job top --once"))
@click.option("--once", is_flag=True, help="Print one picture and leave.")
def top(once: bool) -> None:
    """Show the machine and its jobs, live; q or Ctrl-C leaves."""
    terminal = console()
    with open_engine() as engine:
        watch = Watch(engine)
        if once or not terminal.is_terminal:
            terminal.print(frame(watch.look(), width=terminal.width, height=None))
        else:
            with contextlib.suppress(KeyboardInterrupt):
                show(watch, terminal)


def show(watch: Watch, terminal: "Console") -> None:
    """Draw until a person leaves."""
    from rich.live import Live

    with single_keys(), Live(console=terminal, screen=True, auto_refresh=False) as live:
        key = ""
        while key not in LEAVING:
            live.update(frame(watch.look(), width=terminal.width, height=terminal.height), refresh=True)
            key = pressed(EVERY_S)
