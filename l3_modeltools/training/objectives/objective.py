"""The face that every objective shows to the training loop."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from torch import Tensor, nn

    from l3_modeltools.data import Batch, PairBatch

__all__ = ["Loss", "Objective"]


@dataclass(frozen=True, kw_only=True, slots=True)
class Loss:
    """What one micro batch costs: divide the sums by the counts of all micro batches and ranks, never means by means.

    `sum` is a differentiable fp32 scalar, in nats; `count` is how many tokens, or pairs, it sums over.
    """

    sum: Tensor
    count: int


class Objective(Protocol):
    """A way to make a loss of a batch."""

    @property
    def reference(self) -> nn.Module | None:
        """A frozen model that the objective compares with, to be sharded where the trained one is; None: none."""

    def count(self, batch: Batch | PairBatch) -> int:
        """Say how much of a batch counts, without running the model."""

    def loss(self, model: nn.Module, batch: Batch | PairBatch) -> Loss:
        """Run the model, which may be wrapped by DDP or FSDP, over a batch that lies on the CPU."""
