"""What is told on stderr while nodes are asked, and of what gave nothing."""

import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager

import click

from l0_infra.core.errors import printable
from ogai.flows.node import Left

__all__ = ["looking", "tell_left"]

MOST_LEFT = 20


@contextmanager
def looking(verb: str) -> Iterator[Callable[[object, float], None]]:
    """Count on a terminal's last line how many nodes are done, and wipe the line at the end."""
    count = 0
    shown = sys.stderr.isatty()

    def done(_: object, seconds: float) -> None:
        nonlocal count
        count += 1
        if shown:
            click.echo(f"\r\x1b[2K{verb} {count}, the last in {seconds:.1f} s", nl=False, err=True)

    try:
        yield done
    finally:
        if shown and count:
            click.echo("\r\x1b[2K", nl=False, err=True)


def tell_left(left: Sequence[Left]) -> None:
    """Say what gave nothing and why."""
    for one in left[:MOST_LEFT]:
        click.echo(printable(f"not read: {one.name}: {one.why}"), err=True)
    if len(left) > MOST_LEFT:
        click.echo(f"… and {len(left) - MOST_LEFT} more", err=True)
