"""One result, three shapes: a table for people, the same document as JSON or YAML for programs."""

from collections.abc import Callable
from typing import Any, Literal, TypeVar

import click

__all__ = ["Output", "emit", "output_option"]

Output = Literal["table", "json", "yaml"]

Result = TypeVar("Result")
Command = TypeVar("Command", bound=Callable[..., Any])


def output_option(command: Command) -> Command:
    """Add `-o table|json|yaml` to a command; it arrives as `output`."""
    option = click.option(
        "-o",
        "--output",
        type=click.Choice(["table", "json", "yaml"]),
        default="table",
        show_default=True,
        help="Shape of the result.",
    )
    return option(command)


def emit(result: Result, output: Output, show: Callable[[Result], None]) -> None:
    """Write a document, or a sequence of them, to stdout; `show` is how it looks to a person."""
    if output == "table":
        show(result)
    else:
        click.echo(_written(result, output), nl=False)


def _written(result: object, output: Output) -> str:
    from l0_infra.core.documents import render_document, render_json

    return render_document(result) if output == "yaml" else render_json(result)
