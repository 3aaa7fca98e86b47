"""What did not carry over, for a person: on stderr, beside the result."""

from collections.abc import Sequence

import click

from l0_infra.core.errors import printable
from l3_modeltools import Loss
from ogai.render.table import print_fields

__all__ = ["say", "say_losses", "say_unknown"]

MOST = 3


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
        say(f"  {loss.path}{place}")
        print_fields([("    lost", loss.lost), ("    instead", loss.instead)], stderr=True)


def say_unknown(names: Sequence[str]) -> None:
    """Print the sections that were not read, each with some of its fields; all are in the document of `-o json`."""
    sections: dict[str, list[str]] = {}
    for name in names:
        section, _, field = name.partition(".")
        sections.setdefault(section if field else "", []).append(field or section)
    if not sections:
        return
    say(f"\nnot read, as saying nothing of the cut ({len(names)}; -o json has all):")
    fields = [(f"  {section or '(no section)'}", _some(told)) for section, told in sections.items()]
    print_fields(fields, stderr=True)


def _some(names: Sequence[str]) -> str:
    further = f" and {len(names) - MOST} more" if len(names) > MOST else ""
    return ", ".join(names[:MOST]) + further
