"""What did not carry over, for a person: on stderr, beside the result."""

from collections.abc import Sequence

import click

from l0_infra.core.errors import printable
from l3_modeltools import Loss
from ogai.render.table import print_fields

__all__ = ["say", "say_losses", "say_unknown"]

MOST = 8


def say(text: str) -> None:
    """Print a line on stderr."""
    click.echo(printable(text), err=True)


def say_losses(losses: Sequence[Loss]) -> None:
    """Print each loss: what, where it stands, and what is done instead."""
    if not losses:
        return
    say(f"\nnot carried over ({len(losses)}):")
    for loss in losses:
        place = f" ({loss.where})" if loss.where else ""
        print_fields(
            [(f"  {loss.path}{place}", ""), ("    lost", loss.lost), ("    instead", loss.instead)],
            stderr=True,
        )


def say_unknown(names: Sequence[str]) -> None:
    """Print the sections that were not read, each with its fields."""
    sections: dict[str, list[str]] = {}
    for name in names:
        section, _, field = name.partition(".")
        sections.setdefault(section, []).append(field)
    if not sections:
        return
    say(f"\nnot read ({len(names)}), as saying nothing of the cut:")
    print_fields([(f"  {section}", _fields(fields)) for section, fields in sections.items()], stderr=True)


def _fields(fields: Sequence[str]) -> str:
    told = [field for field in fields if field]
    further = f" and {len(told) - MOST} more" if len(told) > MOST else ""
    return ", ".join(told[:MOST]) + further
