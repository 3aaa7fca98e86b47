"""The loss of each token in fp32, whatever the logits are, without a second tensor of the logits' size.

The gradient is known as soon as the loss is (softmax minus one-hot), so the forward pass writes it over the logits,
a few rows at a time while they are in the cache. Plain `F.cross_entropy` keeps fp32 logits, their log-softmax and two
gradients of that size, and walks through memory for each.
"""

from collections.abc import Iterator
from typing import cast

import torch
from torch import Tensor
from torch.autograd.function import FunctionCtx, once_differentiable

from l3_modeltools.data import IGNORED

__all__ = ["token_losses"]

CPU_CHUNK, DEVICE_CHUNK = 2**18, 2**27
"""Logits worked on at a time: what fits a core's cache; what fills an accelerator without costing much memory."""


def token_losses(logits: Tensor, labels: Tensor) -> Tensor:
    """Return −ln p(label) of each position as fp32, 0 where the label is IGNORED; the logits are used up.

    logits: (…, vocabulary) of any floating type, contiguous; labels: (…) int64.
    """
    flat = logits.view(-1, logits.shape[-1])
    losses = cast(Tensor, _TokenLosses.apply(flat, labels.reshape(-1)))  # type: ignore[no-untyped-call]
    return losses.view(labels.shape)


class _TokenLosses(torch.autograd.Function):
    @staticmethod
    def forward(ctx: FunctionCtx, logits: Tensor, labels: Tensor) -> Tensor:
        wanted = ctx.needs_input_grad[0]  # type: ignore[attr-defined]
        losses = torch.empty(labels.shape, dtype=torch.float32, device=logits.device)
        values = logits.detach()
        for piece in _pieces(values):
            _solve(values[piece], labels[piece], losses[piece], gradient=wanted)
        if wanted:
            ctx.save_for_backward(values)
        return losses

    @staticmethod
    @once_differentiable
    def backward(ctx: FunctionCtx, outer: Tensor) -> tuple[Tensor, None]:
        (gradient,) = ctx.saved_tensors  # type: ignore[attr-defined]
        for piece in _pieces(gradient):
            gradient[piece].mul_(outer[piece].unsqueeze(-1))
        return gradient, None


def _pieces(logits: Tensor) -> Iterator[slice]:
    """Yield rows that are worked on together."""
    rows = max(1, (CPU_CHUNK if logits.device.type == "cpu" else DEVICE_CHUNK) // logits.shape[-1])
    for begin in range(0, len(logits), rows):
        yield slice(begin, begin + rows)


def _solve(logits: Tensor, labels: Tensor, losses: Tensor, *, gradient: bool) -> None:
    """Fill in the losses of a few rows and, if asked for, put the gradient in place of their logits.

    ln Σ exp is taken from the likeliest token, whose share is at least 1 / vocabulary and so never rounds to 0.
    """
    counted = labels != IGNORED
    label = labels.clamp(min=0).unsqueeze(-1)
    share = torch.softmax(logits, -1, dtype=torch.float32)
    norm = logits.amax(-1).float() - share.amax(-1).log()
    torch.sub(norm, logits.gather(-1, label).squeeze(-1), out=losses).mul_(counted)
    if gradient:
        share.scatter_add_(-1, label, share.new_tensor(-1.0).expand_as(label))
        torch.mul(share, counted.unsqueeze(-1), out=logits)
