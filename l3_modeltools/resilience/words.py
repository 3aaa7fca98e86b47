"""Sentences about ranks and errors, as people read them."""

from collections.abc import Iterable

__all__ = ["first_words", "name_ranks"]

LONGEST = 300


def name_ranks(ranks: Iterable[int]) -> str:
    """Write `rank 1`, `ranks 0 and 1`, `ranks 0, 1 and 2`."""
    *before, last = [str(rank) for rank in sorted(ranks)]
    return f"ranks {', '.join(before)} and {last}" if before else f"rank {last}"


def first_words(text: str) -> str:
    """Return the first line of a text, cut where it is long."""
    line = text.strip().partition("\n")[0]
    return line if len(line) <= LONGEST else f"{line[:LONGEST]}…"
