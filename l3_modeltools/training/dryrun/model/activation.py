"""Activation functions with their gate, as one kernel or as several."""

from typing import cast

import torch
from torch import Tensor
from torch.autograd.function import FunctionCtx
from torch.nn import functional

from l3_modeltools.training.dryrun.kernels import OPS
from l3_modeltools.training.dryrun.rank import Rank

__all__ = ["activated"]


def activated(rank: Rank, x: Tensor, gate: Tensor | None, weights: Tensor | None = None) -> Tensor:
    """Activate (tokens, width); multiply with the gate of the same shape, if any, and with a weight of each token."""
    kind = rank.architecture.mlp.hidden_act
    practice = rank.practice
    if practice.fused_elementwise and not practice.kept.activation_apart:
        return cast(Tensor, _Activate.apply(x, gate, weights, kind))  # type: ignore[no-untyped-call]
    result = _function(x, kind)
    if gate is not None:
        result = result * gate
    return result if weights is None else result * weights.unsqueeze(-1).to(x.dtype)


def _function(x: Tensor, kind: str) -> Tensor:
    """As transformers computes it; of gelu_new each step is a kernel."""
    if kind == "silu":
        return functional.silu(x)
    if kind == "relu":
        return functional.relu(x)
    if kind == "gelu":
        return functional.gelu(x)
    return 0.5 * x * (1.0 + torch.tanh(0.7978845608 * (x + 0.044715 * torch.pow(x, 3.0))))


class _Activate(torch.autograd.Function):
    """Keeps its inputs; relu alone keeps its result, from which its gradient follows."""

    @staticmethod
    def forward(
        ctx: FunctionCtx, x: Tensor, gate: Tensor | None, weights: Tensor | None, kind: str
    ) -> Tensor:
        result = cast(Tensor, OPS.activate(x, gate, weights, kind))
        ctx.kind = kind  # type: ignore[attr-defined]
        alone = kind == "relu" and gate is None and weights is None
        ctx.save_for_backward(result if alone else x, gate, weights)  # type: ignore[arg-type]
        return result

    @staticmethod
    def backward(ctx: FunctionCtx, gradient: Tensor) -> tuple[Tensor | None, ...]:
        x, gate, weights = ctx.saved_tensors  # type: ignore[attr-defined]
        found = OPS.activate_backward(gradient, x, gate, weights, ctx.kind)  # type: ignore[attr-defined]
        return found[0], None if gate is None else found[1], None if weights is None else found[2], None
