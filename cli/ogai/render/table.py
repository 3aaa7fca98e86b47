"""Tables: fitted to the terminal for people, plain and whole for pipes."""

import os
import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Generic, Literal, TypeVar

import click

from l0_infra.core.errors import printable
from ogai.render.glyphs import UNICODE, choose_glyphs

if TYPE_CHECKING:
    from rich.console import Console

__all__ = ["Column", "console", "paints", "print_fields", "print_heading", "print_table"]

Row = TypeVar("Row")


@dataclass(frozen=True, kw_only=True)
class Column(Generic[Row]):
    """One column: its title, how a row's value is written, and to which side it is set."""

    title: str
    value: Callable[[Row], str]
    align: Literal["left", "right"] = "left"


def console(*, stderr: bool = False) -> "Console":
    """Return a rich console on stdout or stderr; it honours NO_COLOR, TERM, COLUMNS and pipes."""
    from rich.console import Console

    class Piped(Console):
        """A console whose reader may go away, which is told as everywhere else and not by an exit code of rich's."""

        def on_broken_pipe(self) -> None:
            raise BrokenPipeError

    return Piped(stderr=stderr, highlight=False)


def paints(screen: "Console") -> bool:
    """Tell whether a console shows colours and blocks; letters serve elsewhere."""
    if not screen.is_terminal or screen.color_system is None or screen.no_color:
        return False
    return choose_glyphs(screen.encoding, os.environ) is UNICODE


def print_table(columns: Sequence[Column[Row]], rows: Sequence[Row]) -> None:
    """Print rows on stdout: wrapped to the width of a terminal, one whole line each in a pipe.

    The first column names the rows; names are not cut in two, so that they can be copied, unless they are very long.
    """
    cells = [[printable(column.value(row)) for column in columns] for row in rows]
    if sys.stdout.isatty():
        _print_rich(columns, cells)
    else:
        click.echo("\n".join(_plain(columns, cells)))


def print_fields(fields: Sequence[tuple[str, str]], *, stderr: bool = False) -> None:
    """Print names and values, one pair a line; a name without a value heads those that follow."""
    fields = [(name, printable(value)) for name, value in fields]
    if (sys.stderr if stderr else sys.stdout).isatty():
        _print_grid(fields, stderr=stderr)
    else:
        width = max((len(name) for name, _ in fields), default=0)
        click.echo("\n".join(f"{name:<{width}}  {value}".rstrip() for name, value in fields), err=stderr)


def print_heading(text: str, *, style: str = "bold") -> None:
    """Print a line that heads fields of its own; `style` is how a terminal shows it."""
    if sys.stdout.isatty():
        from rich.text import Text

        console().print(Text(printable(text), style=style))
    else:
        click.echo(printable(text))


def _plain(columns: Sequence[Column[Row]], cells: Sequence[Sequence[str]]) -> list[str]:
    lines = [[column.title for column in columns], *cells]
    widths = [max(map(len, column)) for column in zip(*lines, strict=True)]
    return ["  ".join(map(_aligned, columns, line, widths)).rstrip() for line in lines]


def _aligned(column: Column[Row], text: str, width: int) -> str:
    return text.rjust(width) if column.align == "right" else text.ljust(width)


def _print_rich(columns: Sequence[Column[Row]], cells: Sequence[Sequence[str]]) -> None:
    from rich.table import Table
    from rich.text import Text

    table = Table(box=None, pad_edge=False, padding=(0, 2, 0, 0), header_style="bold")
    terminal = console()
    for place, column in enumerate(columns):
        whole = place == 0 and max((len(line[0]) for line in cells), default=0) <= terminal.width // 3
        table.add_column(column.title, justify=column.align, overflow="fold", no_wrap=whole)
    for line in cells:
        table.add_row(*map(Text, line))
    terminal.print(table)


def _print_grid(fields: Sequence[tuple[str, str]], *, stderr: bool) -> None:
    from rich.table import Table
    from rich.text import Text

    grid = Table.grid(padding=(0, 2, 0, 0))
    grid.add_column(no_wrap=True)
    grid.add_column(overflow="fold")
    for name, value in fields:
        grid.add_row(Text(name, style="" if value else "bold"), Text(value))
    console(stderr=stderr).print(grid)
