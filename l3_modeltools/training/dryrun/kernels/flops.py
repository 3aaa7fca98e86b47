"""How much the fused kernels compute."""

from collections.abc import Sequence

from torch import Tensor

__all__ = ["flops_of"]


def flops_of(name: str, inputs: Sequence[object]) -> int:
    """Arithmetic of one of these operators; 0 of those that only pass over their inputs.

    Attention: of the s · S pairs of a causal sequence half are needed; forward two products (arXiv:2205.14135,
    section 3), backward five.
    """
    tensors = [one for one in inputs if isinstance(one, Tensor)]
    if name == "accumulate_":
        total, gradient = tensors[:2]
        return 2 * total.numel() * gradient.shape[-2]
    if name not in ("attend", "attend_backward"):
        return 0
    query, key, value = tensors[:3] if name == "attend" else tensors[1:4]
    s, b, h, d = query.shape
    products = d + value.shape[3] if name == "attend" else 3 * d + 2 * value.shape[3]
    return s * key.shape[0] * b * h * products
