"""In which order each rank of a pipeline takes its turns, by schedule."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal

__all__ = ["Turn", "most_kept", "turns_of"]

Kind = Literal["F", "B"]


@dataclass(frozen=True, slots=True)
class Turn:
    """A pass of a micro batch through a virtual stage: `F`orward, or `B`ackward."""

    kind: Kind
    batch: int
    chunk: int


def turns_of(rank: int, pp: int, vp: int, batches: int) -> list[Turn]:
    """Every turn of a rank, in order: forward ones first, as many as it waits for, then one of each in turn.

    1F1B and zero bubble: pp - 1 - rank forward ones (arXiv:2104.04473, section 2.2.1; arXiv:2401.10241, section 2.3).
    Interleaved: 2 (pp - 1 - rank) + (vp - 1) pp, in groups of pp micro batches, by virtual stage (section 2.2.2); where
    pp does not divide their number, groups are larger, as torch.distributed.pipelining makes them. Zero bubble with
    virtual stages: likewise (its ScheduleInterleavedZeroBubble).
    """
    forward = [Turn("F", batch, chunk) for batch, chunk in _grouped(pp, vp, batches, range(vp))]
    backward = [Turn("B", batch, chunk) for batch, chunk in _grouped(pp, vp, batches, range(vp)[::-1])]
    ahead = min(_ahead(rank, pp, vp, batches), len(forward))
    turns = forward[:ahead]
    for one, other in zip(forward[ahead:], backward, strict=False):
        turns += (one, other)
    return turns + backward[len(forward) - ahead :]


def most_kept(pp: int, vp: int, batches: int) -> int:
    """Forward turns that the first rank keeps before its first backward one, that one included."""
    return _ahead(0, pp, vp, batches) + 1


def _ahead(rank: int, pp: int, vp: int, batches: int) -> int:
    """Forward turns before the first backward one is waited for."""
    if vp == 1:
        return pp - 1 - rank
    return (vp - 1) * _groups(pp, batches)[0] + 2 * (pp - 1 - rank)


def _groups(pp: int, batches: int) -> list[int]:
    """Micro batches of each group: pp, or a few more where that does not divide them; the larger groups first."""
    groups = max(1, batches // pp)
    each, more = divmod(batches, groups)
    return [each + (group < more) for group in range(groups)]


def _grouped(pp: int, vp: int, batches: int, chunks: range) -> Iterator[tuple[int, int]]:
    """Micro batches in groups, each group through one virtual stage after the other."""
    if vp == 1:
        yield from ((batch, 0) for batch in range(batches))
        return
    begun = 0
    for group in _groups(pp, batches):
        for chunk in chunks:
            for batch in range(begun, begun + group):
                yield batch, chunk
        begun += group
