"""What is being measured, on a terminal's last line."""

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager

import click

__all__ = ["rounds"]


@contextmanager
def rounds() -> Iterator[Callable[[str], None]]:
    """Show each round's words in the place of those before, and wipe them at the end."""
    shown = sys.stderr.isatty()

    def tell(words: str) -> None:
        if shown:
            click.echo(f"\r\x1b[2K{words}", nl=False, err=True)

    try:
        yield tell
    finally:
        if shown:
            click.echo("\r\x1b[2K", nl=False, err=True)
