"""Weights of a rank: declared with their shape by the modules that use them, given room together later."""

from collections.abc import Callable

import torch
from torch import Tensor, nn

from l3_modeltools.training.dryrun.kernels import OPS

__all__ = ["Deferred", "Weight"]

Deferred = list[Callable[[], None]]
"""Gradients of weights that a zero-bubble schedule computes later."""


class Weight(nn.Module):
    """One parameter. `whole` tells that each rank of the tensor-parallel group computes with all of it.

    Where gradients are summed over micro batches there is room for the sum, `total`; else they pass by, and whoever
    scatters them takes them from `value.grad`.
    """

    value: nn.Parameter

    def __init__(self, *shape: int, is_expert: bool = False, whole: bool = False) -> None:
        super().__init__()
        self.shape = shape
        self.is_expert = is_expert
        self.whole = whole
        self.total: Tensor | None = None

    @property
    def numel(self) -> int:
        """Numbers of it."""
        return torch.Size(self.shape).numel()

    def place(self, room: Tensor, total: Tensor | None) -> None:
        """Let it lie in a part of a flat tensor, and the sum of its gradients in another."""
        self.value = nn.Parameter(room.view(self.shape))
        if total is not None:
            self.total = total.view(self.shape)
            self.value.register_post_accumulate_grad_hook(self._add)  # type: ignore[no-untyped-call]

    def accumulate(self, gradient: Tensor, operand: Tensor) -> Tensor | None:
        """Add gradient · operand to the sum; where there is none, return the product."""
        if self.total is not None:
            OPS.accumulate_(self.total, gradient, operand)
            return None
        return (gradient.mT @ operand).to(self.value.dtype)

    def _add(self, value: Tensor) -> None:
        """Add what autograd made, and let go of it."""
        if self.total is not None and value.grad is not None:
            self.total.add_(value.grad)
            value.grad = None
