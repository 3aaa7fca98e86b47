"""What one layer keeps of its forward pass for its backward pass, tensor by tensor.

The account follows arXiv:2205.05198, section 4.1, and goes on from there: grouped and latent attention, gated
feed-forward parts, experts, attention that never writes its scores, kernels that are not fused.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal

from l3_modeltools.architectures import pieces
from l3_modeltools.planning.activations import ACTIVATION_TENSORS
from l3_modeltools.planning.cost.setting import Setting
from l3_modeltools.schemas import Architecture, GroupedAttention, LatentAttention, Practice

__all__ = ["Rank", "Role", "Tensor", "layer_tensors", "norm_tensors", "product_widths", "rank_of"]

FULL, HALF, MASK = 4, 2, 1
"""Bytes of an fp32 number, of a 16-bit one, and of a mask's."""

Role = Literal["input", "norm", "gathered", "operand", "core", "result", "wide", "activation", "mask"]
"""What a tensor is to recomputation: the layer's input, scores and softmax (`core`), attention's result, and so on."""


@dataclass(frozen=True, slots=True)
class Tensor:
    """A tensor that is kept, in bytes of one rank and micro batch."""

    name: str
    role: Role
    size: int


@dataclass(frozen=True, slots=True)
class Rank:
    """How a rank sees a micro batch: its tokens and what it has of a layer's widths."""

    architecture: Architecture
    practice: Practice
    tokens: int
    sequence_length: int
    tp: int
    cp: int
    sequence_parallel: bool

    @property
    def product(self) -> int:
        """Bytes of a number that comes out of a matrix product."""
        return FULL if self.practice.compute == "fp32" else HALF

    @property
    def stream(self) -> int:
        """Bytes of a number between layers."""
        return FULL if self.practice.kept.stream == "fp32" else self.product

    @property
    def slice(self) -> int:
        """Tokens between the products, which sequence parallelism deals to the tensor-parallel group."""
        return self.tokens // (self.tp if self.sequence_parallel else 1)

    @property
    def apart(self) -> bool:
        """Whether activation function and gate each write a result of their own."""
        return self.practice.kept.activation_apart or not self.practice.fused_elementwise


def rank_of(setting: Setting) -> Rank:
    """The rank's view of a setting; what does not change it (dp, pp, ZeRO, the batch) is not in it."""
    degrees = setting.strategy.degrees
    return Rank(
        architecture=setting.architecture,
        practice=setting.practice,
        tokens=setting.micro_tokens,
        sequence_length=setting.sequence_length,
        tp=degrees.tp,
        cp=degrees.cp,
        sequence_parallel=degrees.sequence_parallel,
    )


def layer_tensors(rank: Rank, *, sparse: bool) -> tuple[Tensor, ...]:
    """All tensors that a layer keeps where nothing is recomputed."""
    return (*_attention(rank), *(_experts(rank) if sparse else _dense(rank)))


def product_widths(rank: Rank, *, sparse: bool) -> tuple[int, ...]:
    """What the layer's matrix products give for a token on one rank, in the order in which they run."""
    architecture, tp = rank.architecture, rank.tp
    attention, (query, value) = architecture.attention, pieces.head_sizes(architecture)
    heads, hidden = attention.num_attention_heads, architecture.hidden_size
    if isinstance(attention, LatentAttention):
        down = attention.kv_lora_rank + attention.qk_rope_head_dim
        up = heads * (attention.qk_nope_head_dim + value) // tp
        queries = (attention.q_lora_rank,) if attention.q_lora_rank else ()
        first: tuple[int, ...] = (*queries, heads * query // tp, down, up)
    else:
        groups = attention.key_value_heads * query // tp
        first = (heads * query // tp, groups, groups)
    return (*first, hidden, *_inner_widths(rank, sparse=sparse))


def _several(rank: Rank) -> bool:
    """Whether a norm runs as several kernels; PyTorch has layer norms as one, RMS norms not."""
    return rank.architecture.norm == "rms_norm" and not rank.practice.fused_elementwise


def norm_tensors(rank: Rank, name: str, role: Role) -> Iterator[Tensor]:
    """A normalisation's input and result; RMS norms of several kernels also keep an fp32 copy and its normal form."""
    hidden, rows, several = rank.architecture.hidden_size, rank.slice, _several(rank)
    yield Tensor(f"input of the norm before {name}", role, rows * hidden * (FULL if several else rank.stream))
    if several:
        yield Tensor(f"normal form before {name}", "norm", rows * hidden * rank.product)
    yield Tensor(f"input of {name}", "norm", rows * hidden * rank.product)
    if rank.practice.kept.gathered and rank.sequence_parallel:
        yield Tensor(f"gathered input of {name}", "gathered", rank.tokens * hidden * rank.product)


def _attention(rank: Rank) -> Iterator[Tensor]:
    architecture, each = rank.architecture, rank.tokens * rank.product
    attention, (query, value) = architecture.attention, pieces.head_sizes(architecture)
    heads = attention.num_attention_heads
    groups = attention.key_value_heads if isinstance(attention, GroupedAttention) else heads
    yield from norm_tensors(rank, "attention", "input")
    if isinstance(attention, LatentAttention):
        ranks = attention.kv_lora_rank + (attention.q_lora_rank or 0)
        yield Tensor("compressed queries, keys and values", "operand", each * ranks)
        yield Tensor("compressed queries, keys and values, normalised", "norm", each * ranks)
    if isinstance(attention, GroupedAttention) and attention.qk_norm:
        number = FULL + rank.product if _several(rank) else rank.product
        numbers = rank.tokens * query * (heads + groups) // rank.tp
        yield Tensor("queries and keys before their norms", "norm", number * numbers)
    yield Tensor("queries", "operand", each * heads * query // rank.tp)
    yield Tensor("keys", "operand", each * groups * query // rank.tp)
    yield Tensor("values", "operand", each * groups * value // rank.tp)
    yield from _scores(rank, heads)
    result = each * heads * value // rank.tp
    yield Tensor("result of attention", "result", result)
    if rank.cp > 1:
        yield Tensor("result of attention, exchanged", "result", result)
    yield from _mask(rank)


def _scores(rank: Rank, heads: int) -> Iterator[Tensor]:
    """Softmax, its dropout mask and what is left of it; of flash attention one sum for each row."""
    rows = rank.tokens * heads // rank.tp
    if rank.practice.flash_attention:
        yield Tensor("sums of the scores", "result", rows * FULL)
        return
    yield Tensor("softmax", "core", rows * rank.sequence_length * rank.product)
    if rank.practice.kept.dropout:
        yield Tensor("mask of the softmax", "core", rows * rank.sequence_length * MASK)
        yield Tensor("softmax after dropout", "core", rows * rank.sequence_length * rank.product)


def _dense(rank: Rank) -> Iterator[Tensor]:
    yield from norm_tensors(rank, "the feed-forward part", "norm")
    width = rank.architecture.mlp.intermediate_size // rank.tp
    yield from _inner(rank, "feed-forward part", rank.tokens * width)
    yield from _mask(rank)


def _experts(rank: Rank) -> Iterator[Tensor]:
    """Each token is copied to its chosen experts (arXiv:2401.06066); as many come to a rank as leave it."""
    experts = rank.architecture.experts
    if experts is None:
        return
    yield from norm_tensors(rank, "the experts", "norm")
    routed = rank.slice * experts.num_experts_per_tok
    yield Tensor("scores of the router", "norm", 2 * rank.slice * experts.n_routed_experts * FULL)
    yield Tensor("tokens of the experts", "operand", routed * rank.architecture.hidden_size * rank.product)
    yield from _inner(rank, "experts", routed * experts.moe_intermediate_size)
    shared = experts.n_shared_experts * experts.moe_intermediate_size // rank.tp
    yield from _inner(rank, "shared experts", rank.tokens * shared)
    yield from _mask(rank)


def _inner(rank: Rank, name: str, numbers: int) -> Iterator[Tensor]:
    """What the first products of a feed-forward part give, and what its activation function makes of it."""
    mlp, each = rank.architecture.mlp, numbers * rank.product
    if rank.apart:
        results = ACTIVATION_TENSORS[mlp.hidden_act] - 1 + mlp.gated
        yield Tensor(f"width of the {name}", "wide", each * (1 + mlp.gated))
        yield Tensor(f"activation of the {name}", "activation", each * results)
    else:
        yield Tensor(f"width of the {name}", "wide", each * (2 if mlp.gated else mlp.hidden_act != "relu"))
        yield Tensor(f"activation of the {name}", "activation", each)


def _mask(rank: Rank) -> Iterator[Tensor]:
    if rank.practice.kept.dropout:
        yield Tensor("mask of dropout", "mask", rank.slice * rank.architecture.hidden_size * MASK)


def _inner_widths(rank: Rank, *, sparse: bool) -> tuple[int, ...]:
    architecture, experts = rank.architecture, rank.architecture.experts
    first = 2 if architecture.mlp.gated else 1
    if not sparse or experts is None:
        width = architecture.mlp.intermediate_size // rank.tp
        return (*(width,) * first, architecture.hidden_size)
    copies, dealt = experts.num_experts_per_tok, rank.tp if rank.sequence_parallel else 1
    routed = copies * experts.moe_intermediate_size // dealt
    shared = experts.n_shared_experts * experts.moe_intermediate_size // rank.tp
    back = copies * architecture.hidden_size // dealt
    return (*(routed,) * first, back, *(shared,) * first, architecture.hidden_size)
