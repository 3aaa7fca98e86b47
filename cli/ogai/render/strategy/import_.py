"""Somebody's configuration as a strategy, and what we think of it."""

from pathlib import Path

import click

from l0_infra.core.documents import render_document
from l0_infra.core.units import format_bytes
from l3_modeltools import Imported, Opinion
from ogai.flows.strategy import Understood
from ogai.render.strategy.losses import say, say_losses, say_unknown
from ogai.render.table import print_fields

__all__ = ["print_understood"]


def print_understood(understood: Understood, *, written: Path | None) -> None:
    """Print the strategy, or where it was written; all else goes to stderr."""
    imported = understood.imported
    click.echo(f"{written}\n" if written else render_document(imported.strategy), nl=False)
    say(f"\na configuration of {imported.framework}, {imported.strategy.degrees.world_size:,} ranks")
    say_losses(imported.losses)
    say_unknown(imported.unknown)
    if understood.opinion is None:
        say(f"\nmemory and time are not known: {_missing(imported)}")
    else:
        _say_opinion(understood.opinion, understood.fits)


def _missing(imported: Imported) -> str:
    if imported.architecture is None:
        return "say which model it is with --model"
    return "it does not say how long sequences are, or how many a step takes"


def _say_opinion(opinion: Opinion, fits: bool | None) -> None:
    memory = opinion.memory
    say("\nmemory of a rank, by pipeline stage:")
    fields = [
        (f"  {stage}", f"{format_bytes(one.total)}, of it {_largest(one.named())}")
        for stage, one in enumerate(memory.stages)
    ]
    print_fields(fields, stderr=True)
    if fits is not None:
        room = format_bytes(memory.device_memory_bytes or 0)
        short = f"{format_bytes(memory.missing)} too much for {room} on stage {memory.fullest}"
        say(f"fits {room}" if fits else short)
    if opinion.time:
        say(f"\nseconds of a step: {opinion.time.total:.2f}, of it {_seconds(opinion.time.named())}")


def _largest(terms: tuple[tuple[str, int], ...]) -> str:
    largest = sorted(terms, key=lambda term: -term[1])[:2]
    return ", ".join(f"{name.replace('_', ' ')} {format_bytes(size)}" for name, size in largest)


def _seconds(terms: tuple[tuple[str, float], ...]) -> str:
    largest = sorted(terms, key=lambda term: -term[1])[:3]
    return ", ".join(f"{name.replace('_', ' ')} {seconds:.2f}" for name, seconds in largest)
