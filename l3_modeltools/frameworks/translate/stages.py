"""Layers of stages, by [v][p]: between how many each holds, how far it is off the even share, and in which order."""

from collections.abc import Sequence
from itertools import groupby

__all__ = ["Counts", "by_order", "decoders", "filled", "flat", "of_first", "offset_of", "runs", "tabled"]

Counts = tuple[tuple[int, ...], ...]


def offset_of(stages: Counts) -> Counts | None:
    """How far each stage is off L // (pp · vp); None: nowhere."""
    share = sum(map(sum, stages)) // (len(stages) * len(stages[0]))
    offset = tuple(tuple(held - share for held in row) for row in stages)
    return offset if any(map(any, offset)) else None


def flat(stages: Counts) -> tuple[int, ...]:
    """In the order a token meets them: all ranks of virtual stage 0, then those of 1."""
    return tuple(held for row in stages for held in row)


def tabled(held: Sequence[int], pp: int) -> Counts:
    """The same by [v][p]."""
    return tuple(tuple(held[first : first + pp]) for first in range(0, len(held), pp))


def decoders(stages: Counts, further: int, *, least: int) -> Counts:
    """Without `further` layers of the last stage, for frameworks that put all of those there.

    Where it then has fewer than `least`, others give it some, the largest first.
    """
    held = list(flat(stages))
    held[-1] -= further
    return tabled(filled(held, least), len(stages[0]))


def filled(stages: Sequence[int], least: int = 1) -> list[int]:
    """Give every stage so many layers, taken from the largest ones."""
    held = list(stages)
    while min(held) < least < max(held):
        held[held.index(max(held))] -= 1
        held[held.index(min(held))] += 1
    return held


def by_order(layers: int, count: int) -> list[int]:
    """Deal layers to stages evenly, the first ones getting what remains."""
    share, rest = divmod(layers, count)
    return [share + (stage < rest) for stage in range(count)]


def of_first(stages: Counts, wanted: int) -> Counts:
    """That many of the first layers of each stage, at most those it has."""
    return tuple(tuple(min(wanted, held) for held in row) for row in stages)


def runs(values: Sequence[int]) -> list[tuple[int, int]]:
    """Equal neighbours as (value, how many)."""
    return [(value, len(list(same))) for value, same in groupby(values)]
