"""The loss on held-out samples: all ranks share the work, and the result does not depend on how many there are."""

from collections.abc import Callable, Iterator

import torch

from l3_modeltools.data import Batch, PairBatch
from l3_modeltools.training.objectives import Objective
from l3_modeltools.training.parallel import ParallelModel
from l3_modeltools.training.world import World

__all__ = ["FEWEST_TOKENS", "Validator", "shares_of", "validation_samples"]

FEWEST_TOKENS = 65_536
"""A validation looks at held-out samples of this many tokens, or at a global batch if that is more."""


def validation_samples(sequence_length: int, *, global_batch: int) -> int:
    """Return how many held-out samples a validation looks at, at most: the same ones every time."""
    return max(global_batch, -(-FEWEST_TOKENS // sequence_length))


def shares_of(samples: int, *, micro_batch: int, rank: int, ranks: int) -> Iterator[range]:
    """Yield the rows that a rank looks at, in as many rounds as every other rank; a share may be empty."""
    for begin in range(0, samples, micro_batch * ranks):
        first = begin + rank * micro_batch
        yield range(min(first, samples), min(first + micro_batch, samples))


class Validator:
    """Measures the mean loss over held-out samples, in nats."""

    def __init__(
        self,
        model: ParallelModel,
        objective: Objective,
        load: Callable[[range], Batch | PairBatch],
        *,
        world: World,
        samples: int,
        micro_batch: int,
    ) -> None:
        self.model = model
        self.objective = objective
        self.load = load
        self.world = world
        self.samples = samples
        self.micro_batch = micro_batch

    def loss(self) -> float | None:
        """Return the mean loss, on every rank; None where nothing is held out."""
        if not self.samples:
            return None
        total = torch.zeros(2, device=self.world.device)
        self.model.inner.eval()
        with torch.no_grad(), self.model.arithmetic():
            for rows in shares_of(
                self.samples, micro_batch=self.micro_batch, rank=self.world.rank, ranks=self.world.size
            ):
                total += self._sum(rows)
        self.model.inner.train()
        summed, count = self.world.add_up(total).tolist()
        return float(summed / count) if count else None

    def _sum(self, rows: range) -> torch.Tensor:
        """Return the loss and what counts; a rank without rows computes one for nothing, since FSDP needs company."""
        loss = self.objective.loss(self.model.inner, self.load(rows or range(1)))
        return torch.stack([loss.sum.detach(), loss.sum.new_tensor(float(loss.count))]) * bool(rows)
