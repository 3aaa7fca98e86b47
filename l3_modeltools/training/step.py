"""One optimizer step in two: gradients and numbers that all ranks know, then, if they are good, the update."""

import math
from collections.abc import Callable, Sequence
from dataclasses import astuple, dataclass

import torch
from torch.nn.utils import get_total_norm

from l3_modeltools.data import Batch, PairBatch
from l3_modeltools.resilience import Phase
from l3_modeltools.training.objectives import Objective
from l3_modeltools.training.parallel import ParallelModel
from l3_modeltools.training.world import World

__all__ = ["NOTHING", "Proposal", "StepResult", "Stepper", "Wishes"]

DIGIT = 4096
"""Tokens are added up in two digits of this base, as fp32 holds whole numbers only up to 2**24: of 4,096 ranks exactly
up to 6.8e10 a step."""

Enter = Callable[[Phase], None]
"""Hears which part of a step begins."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Wishes:
    """What a rank wishes for the end of a step; agreed: what at least one did."""

    stop: bool = False
    """Save and end."""
    save: bool = False
    copy: bool = False
    """Copy the state in memory."""
    look: bool = False
    """Tell each other how long the data were waited for: this rank waited long."""


NOTHING = Wishes()


@dataclass(frozen=True, kw_only=True, slots=True)
class StepResult:
    """What all ranks know of a step before its update: mean loss in nats, gradient norm before clipping, tokens that
    went in without padding, and what is agreed on.
    """

    loss: float
    grad_norm: float
    tokens: int
    agreed: Wishes = NOTHING

    @property
    def is_finite(self) -> bool:
        """Whether an update would leave the weights whole."""
        return math.isfinite(self.loss) and math.isfinite(self.grad_norm)


@dataclass(frozen=True, kw_only=True, slots=True)
class Proposal:
    """A step computed and not taken: the weights are as they were, the gradients are there."""

    result: StepResult
    gradients: Sequence[torch.Tensor]
    scale: torch.Tensor
    """What the gradients are to be multiplied with: they are sums, and not clipped."""
    own_loss: torch.Tensor
    """Summed loss of this rank alone."""


class Stepper:
    """Turns the micro batches of a step into one update of the weights, in two calls."""

    def __init__(
        self,
        model: ParallelModel,
        objective: Objective,
        optimizer: torch.optim.Optimizer,
        *,
        world: World,
        max_grad_norm: float | None,
        enter: Enter = lambda phase: None,
    ) -> None:
        self.model = model
        self.objective = objective
        self.optimizer = optimizer
        self.world = world
        self.limit = math.inf if max_grad_norm is None else max_grad_norm
        self.enter = enter
        self.is_updating = False
        """Whether the weights are neither those of before a step nor of after it."""

    def warm_up(self, batch: Batch | PairBatch) -> None:
        """Run forward and backward once and forget the gradients.

        DDP lays out its buckets anew after its first backward pass. A resumed process would add up the gradients of
        its first step in another order than the undisturbed one; after this both are past it.
        """
        self._accumulate([batch], lambda phase: None)
        self.optimizer.zero_grad()

    def propose(self, batches: Sequence[Batch | PairBatch], wishes: Wishes) -> Proposal:
        """Compute one step over this rank's micro batches, and agree on its numbers and on what a rank wishes."""
        self.optimizer.zero_grad()
        loss, count = self._accumulate(batches, self.enter)
        self.enter("optimizer")
        gradients = self.model.gradients()
        norm = get_total_norm(gradients).to(loss.device)
        high, low = divmod(sum(batch.tokens for batch in batches), DIGIT)
        own = count.new_tensor([high, low, *astuple(wishes)])
        numbers = self.world.add_up(torch.cat([torch.stack([loss, count, norm * norm]), own]))
        counted = numbers[1].clamp(min=1.0)
        scale = self.world.size / counted  # the exchange divided the sums by the number of ranks
        norm = scale * (numbers[2].sqrt() if self.model.is_sharded else norm)
        return Proposal(
            result=_result(*torch.stack([numbers[0] / counted, norm, *numbers[3:]]).tolist()),
            gradients=gradients,
            scale=scale * (self.limit / (norm + 1e-6)).clamp(max=1.0),
            own_loss=loss,
        )

    def update(self, proposal: Proposal, *, rate: float) -> None:
        """Take the step that was proposed last, at learning rate `rate`."""
        torch._foreach_mul_(list(proposal.gradients), proposal.scale)
        for group in self.optimizer.param_groups:
            group["lr"] = rate
        self.is_updating = True
        self.optimizer.step()
        self.is_updating = False
        self.optimizer.zero_grad()

    def leave_out(self) -> None:
        """Forget what was proposed last: no weight changes."""
        self.optimizer.zero_grad()

    def _accumulate(
        self, batches: Sequence[Batch | PairBatch], enter: Enter
    ) -> tuple[torch.Tensor, torch.Tensor]:
        """Leave the gradient of the summed loss in the parameters; return the sum and what it sums over."""
        total = torch.zeros((), device=self.world.device)
        count = 0
        for index, batch in enumerate(batches):
            with self.model.micro_batch(last=index == len(batches) - 1):
                enter("forward")
                with self.model.arithmetic():
                    loss = self.objective.loss(self.model.outer, batch)
                enter("backward")
                loss.sum.backward()  # type: ignore[no-untyped-call]
            total += loss.sum.detach()
            count += loss.count
        return total, total.new_tensor(float(count))


def _result(loss: float, norm: float, high: float, low: float, *wishes: float) -> StepResult:
    return StepResult(
        loss=loss,
        grad_norm=norm,
        tokens=round(high) * DIGIT + round(low),
        agreed=Wishes(**dict(zip(Wishes.__dataclass_fields__, (wish > 0 for wish in wishes), strict=True))),
    )
