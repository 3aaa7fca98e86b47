"""In which order each rank of a pipeline takes its turns, by schedule."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal

__all__ = ["Turn", "turns_of"]

Kind = Literal["F", "B"]


@dataclass(frozen=True, slots=True)
class Turn:
    """A pass of a micro batch through a virtual stage: `F`orward, or `B`ackward."""

    kind: Kind
    batch: int
    chunk: int


def turns_of(schedule: str, rank: int, pp: int, vp: int, batches: int) -> list[Turn]:
    """Every turn of a rank, in order: forward ones first, as many as it waits for, then one of each in turn.

    1F1B and zero bubble: pp - 1 - rank forward ones (arXiv:2104.04473, section 2.2.1; arXiv:2401.10241, section 2.3).
    Interleaved: 2 (pp - 1 - rank) + (vp - 1) pp, in groups of pp micro batches, by virtual stage (section 2.2.2).
    """
    forward = [Turn("F", batch, chunk) for batch, chunk in _grouped(pp, vp, batches, range(vp))]
    backward = [Turn("B", batch, chunk) for batch, chunk in _grouped(pp, vp, batches, range(vp)[::-1])]
    ahead = pp - 1 - rank if schedule != "interleaved" else 2 * (pp - 1 - rank) + (vp - 1) * pp
    ahead = min(ahead, len(forward))
    turns = forward[:ahead]
    for one, other in zip(forward[ahead:], backward, strict=False):
        turns += (one, other)
    return turns + backward[len(forward) - ahead :]


def _grouped(pp: int, vp: int, batches: int, chunks: range) -> Iterator[tuple[int, int]]:
    """Micro batches in groups of pp, each group through one virtual stage after the other."""
    if vp == 1:
        yield from ((batch, 0) for batch in range(batches))
        return
    for begun in range(0, batches, pp):
        for chunk in chunks:
            for batch in range(begun, min(begun + pp, batches)):
                yield batch, chunk
