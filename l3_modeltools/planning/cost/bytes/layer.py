"""What a layer costs in activations, by how it is recomputed: worked out once for all stages and micro batches."""

from dataclasses import dataclass
from functools import lru_cache

from l3_modeltools.planning.cost.bytes.tensors import HALF, Rank, Tensor, layer_tensors, product_widths

__all__ = ["Layer", "layers_of"]


@dataclass(frozen=True, slots=True)
class Layer:
    """Bytes of one rank and micro batch that a layer of one kind keeps, and that its backward pass needs besides."""

    kept: int
    """Where nothing is recomputed; tensors kept gathered included."""
    selective: int
    """Where selective recomputation keeps what the practice says."""
    full: int
    """Its input, which is all that full recomputation keeps."""
    gathered: int
    """What is not kept where it is gathered again and nothing else recomputed."""
    gathered_selective: int
    """The same where recomputation is selective."""
    passing: int
    """Gradients on their way through it, beyond what it has given free by then."""


@lru_cache(maxsize=2048)
def layers_of(rank: Rank) -> tuple[Layer, Layer, Layer]:
    """A dense layer, one with experts, and one for multi-token prediction, as a rank sees them."""
    dense = _layer(rank, sparse=False)
    if rank.architecture.experts is None:
        return dense, dense, _further(rank, dense)
    sparse = _layer(rank, sparse=True)
    return dense, sparse, _further(rank, sparse)


def _layer(rank: Rank, *, sparse: bool) -> Layer:
    tensors = layer_tensors(rank, sparse=sparse)
    gathered = _role(tensors, "gathered")
    return Layer(
        kept=_sum(tensors),
        selective=_selective(rank, tensors, sparse=sparse),
        full=_stream(rank),
        gathered=gathered,
        gathered_selective=0 if rank.practice.selective_keeps == "every_second_product" else gathered,
        passing=_passing(rank, tensors),
    )


def _further(rank: Rank, inner: Layer) -> Layer:
    """Two normed streams side by side and the product that joins them (arXiv:2412.19437, section 2.2), then a layer."""
    joined = 6 * _stream(rank)
    return Layer(
        kept=inner.kept + joined,
        selective=inner.selective + joined,
        full=inner.full + _stream(rank),
        gathered=inner.gathered,
        gathered_selective=inner.gathered_selective,
        passing=inner.passing,
    )


def _selective(rank: Rank, tensors: tuple[Tensor, ...], *, sparse: bool) -> int:
    keeps = rank.practice.selective_keeps
    if keeps == "every_second_product":
        return min(_sum(tensors), _every_second(rank, tensors, sparse=sparse))
    dropped = {"all_but_attention_core": "core", "all_but_activation": "activation"}[keeps]
    return sum(tensor.size for tensor in tensors if tensor.role != dropped)


def _every_second(rank: Rank, tensors: tuple[Tensor, ...], *, sparse: bool) -> int:
    """The layer's input, its first, third, … product, attention's result, and what tensor parallelism has summed up.

    Eager recomputation keeps also what the backward pass will not read, which a compiler leaves out: the last product
    and its sum (torchtitan, torchtitan/distributed/activation_checkpoint.py).
    """
    widths = product_widths(rank, sparse=sparse)
    unread = rank.practice.fused_elementwise
    kept = sum(widths[:-1:2]) if unread else sum(widths[::2])
    sums = (1 if unread else 2) * (rank.tp > 1)
    result = sum(tensor.size for tensor in tensors if tensor.role == "result")
    return (1 + sums) * _stream(rank) + rank.tokens * rank.product * kept + result


def _passing(rank: Rank, tensors: tuple[Tensor, ...]) -> int:
    """The most that gradients of the feed-forward part take at once, or that context parallelism gathers.

    At the activation function: gradients of its result and of its input, when the result itself has been freed. At the
    first product: its input gathered again, where it is not kept so, and the gradient of that, of all tokens, when
    both have been freed; in 8 bits also the operand in both layouts.
    """
    hidden, wide = rank.tokens * rank.architecture.hidden_size * HALF, _role(tensors, "wide")
    activation = _role(tensors, "activation")
    again = hidden if rank.sequence_parallel and not rank.practice.kept.gathered else 0
    casts = hidden if rank.practice.compute == "fp8" else 0
    product = again + hidden + casts
    return max(wide, product - activation, _gathered_keys(rank, tensors) - wide - activation) + _stream(rank)


def _gathered_keys(rank: Rank, tensors: tuple[Tensor, ...]) -> int:
    """Keys and values of the whole context-parallel group, and their gradients."""
    names = ("keys", "values")
    return 2 * (rank.cp - 1) * sum(tensor.size for tensor in tensors if tensor.name in names)


def _stream(rank: Rank) -> int:
    return rank.slice * rank.architecture.hidden_size * rank.stream


def _role(tensors: tuple[Tensor, ...], role: str) -> int:
    return sum(tensor.size for tensor in tensors if tensor.role == role)


def _sum(tensors: tuple[Tensor, ...]) -> int:
    return sum(tensor.size for tensor in tensors)
