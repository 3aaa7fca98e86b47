"""The small tensors that all layers of a rank read: places in the sequence, rotations, slopes."""

import torch
from torch import Tensor

from l3_modeltools.schemas import Alibi, LatentAttention, Rope
from l3_modeltools.training.dryrun.model.site import Tables
from l3_modeltools.training.dryrun.rank import Rank

__all__ = ["make_tables"]


def make_tables(rank: Rank, *, tensor_rank: int = 0, context_rank: int = 0) -> Tables:
    """The tables of one rank of the tensor-parallel and of the context-parallel group.

    Rotations that are stretched have the same sizes as others; they are not stretched here.
    """
    places = torch.cat([_places(rank, at) for at in range(rank.context.ranks)])
    own = places.view(rank.context.ranks, -1)[context_rank].clone()
    cosines, sines = _rotations(rank, own)
    return Tables(
        places=own, key_places=places, slopes=_slopes(rank, tensor_rank), cosines=cosines, sines=sines
    )


def _places(rank: Rank, at: int) -> Tensor:
    """An early and a late part of the sequence, so that all ranks have as many pairs to look at."""
    length, ranks = rank.setting.sequence_length, rank.context.ranks
    if ranks == 1:
        return torch.arange(length)
    part = length // (2 * ranks)
    late = length - (at + 1) * part
    return torch.cat((torch.arange(at * part, (at + 1) * part), torch.arange(late, late + part)))


def _rotations(rank: Rank, places: Tensor) -> tuple[Tensor | None, Tensor | None]:
    positions, attention = rank.architecture.positions, rank.architecture.attention
    if not isinstance(positions, Rope):
        return None, None
    size = attention.qk_rope_head_dim if isinstance(attention, LatentAttention) else rank.head_sizes[0]
    turns = positions.rope_theta ** -(torch.arange(0, size, 2) / size)
    angles = (places[:, None] * turns).repeat(1, 2)
    return angles.cos(), angles.sin()


def _slopes(rank: Rank, tensor_rank: int) -> Tensor | None:
    """A geometric series over the heads (arXiv:2108.12409, section 3)."""
    if not isinstance(rank.architecture.positions, Alibi):
        return None
    heads = torch.arange(1 + tensor_rank * rank.heads, 1 + (tensor_rank + 1) * rank.heads)
    return torch.exp2(-8.0 * heads / rank.architecture.attention.num_attention_heads)
