"""Documents of a data set as text, on request with every token's end marked."""

from collections.abc import Iterable

import click

from l0_infra.core.errors import printable
from l0_infra.core.units import format_count
from l3_modeltools import Decoded

__all__ = ["print_documents"]

BOUNDARY = "│"


def print_documents(documents: Iterable[Decoded], *, by_token: bool) -> None:
    """Print documents on stdout, each under its number and length."""
    for document in documents:
        tokens = format_count(len(document.pieces), "token")
        click.secho(f"── document {document.number} · {tokens} ──", dim=True)
        click.echo(printable(BOUNDARY.join(document.pieces) if by_token else document.text))
