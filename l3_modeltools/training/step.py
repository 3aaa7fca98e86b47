"""One optimizer step: gradients of all micro batches and ranks, one exchange of numbers, clipping, the update."""

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import torch
from torch.nn.utils import get_total_norm

from l0_infra.core.errors import UnhealthyError
from l3_modeltools.data import Batch, PairBatch
from l3_modeltools.training.objectives import Objective
from l3_modeltools.training.parallel import ParallelModel
from l3_modeltools.training.world import World

__all__ = ["StepResult", "Stepper"]

DIGIT = 4096
"""Tokens are added up in two digits of this base, as fp32 holds whole numbers only up to 2**24: of 4,096 ranks exactly
up to 6.8e10 a step."""


@dataclass(frozen=True, kw_only=True, slots=True)
class StepResult:
    """What all ranks know of a step: mean loss in nats, gradient norm before clipping, tokens that went in without
    padding, whether a rank wants to stop.
    """

    loss: float
    grad_norm: float
    tokens: int
    stop: bool


class Stepper:
    """Turns the micro batches of a step into one update of the weights."""

    def __init__(
        self,
        model: ParallelModel,
        objective: Objective,
        optimizer: torch.optim.Optimizer,
        *,
        world: World,
        max_grad_norm: float | None,
    ) -> None:
        self.model = model
        self.objective = objective
        self.optimizer = optimizer
        self.world = world
        self.limit = math.inf if max_grad_norm is None else max_grad_norm

    def warm_up(self, batch: Batch | PairBatch) -> None:
        """Run forward and backward once and forget the gradients.

        DDP lays out its buckets anew after its first backward pass. A resumed process would add up the gradients of
        its first step in another order than the undisturbed one; after this both are past it.
        """
        self._accumulate([batch])
        self.optimizer.zero_grad()

    def step(
        self, batches: Sequence[Batch | PairBatch], *, rate: float, stop: Callable[[], bool]
    ) -> StepResult:
        """Take one step at learning rate `rate` over this rank's micro batches; `stop` is its wish to end.

        Raises UnhealthyError, on all ranks alike, where loss or gradients are not finite; the weights are spoilt then.
        """
        loss, count = self._accumulate(batches)
        gradients = self.model.gradients()
        norm = get_total_norm(gradients).to(loss.device)
        high, low = divmod(sum(batch.tokens for batch in batches), DIGIT)
        own = count.new_tensor([high, low, stop()])
        numbers = self.world.add_up(torch.cat([torch.stack([loss, count, norm * norm]), own]))
        counted = numbers[1].clamp(min=1.0)
        scale = self.world.size / counted  # the exchange divided the sums by the number of ranks
        norm = scale * (numbers[2].sqrt() if self.model.is_sharded else norm)
        torch._foreach_mul_(gradients, scale * (self.limit / (norm + 1e-6)).clamp(max=1.0))
        for group in self.optimizer.param_groups:
            group["lr"] = rate
        self.optimizer.step()
        self.optimizer.zero_grad()
        return _judge(*torch.stack([numbers[0] / counted, norm, *numbers[3:]]).tolist())

    def _accumulate(self, batches: Sequence[Batch | PairBatch]) -> tuple[torch.Tensor, torch.Tensor]:
        """Leave the gradient of the summed loss in the parameters; return the sum and what it sums over."""
        total = torch.zeros((), device=self.world.device)
        count = 0
        for index, batch in enumerate(batches):
            with self.model.micro_batch(last=index == len(batches) - 1):
                with self.model.arithmetic():
                    loss = self.objective.loss(self.model.outer, batch)
                loss.sum.backward()  # type: ignore[no-untyped-call]
            total += loss.sum.detach()
            count += loss.count
        return total, total.new_tensor(float(count))


def _judge(loss: float, norm: float, high: float, low: float, stops: float) -> StepResult:
    if not (math.isfinite(loss) and math.isfinite(norm)):
        raise UnhealthyError(
            "training",
            found=f"a loss of {loss:g} and a gradient norm of {norm:g}",
            expected="finite numbers",
            hint="lower the learning rate or lengthen its warm-up; the last checkpoint is from before this step",
        )
    return StepResult(loss=loss, grad_norm=norm, tokens=round(high) * DIGIT + round(low), stop=stops > 0)
