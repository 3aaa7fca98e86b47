"""What lasts from step to step: weights, sums of gradients and the optimizer's states, shared as ZeRO shares them.

(arXiv:1910.02054, section 5.) Weights lie side by side in flat tensors, one for each layer and end of the model, so
that one message carries them, as in Megatron-LM and FSDP. Where a pipeline works on several micro batches at once,
ZeRO 2 and 3 keep sums of whole gradients, and ZeRO 3 keeps weights gathered through the step, as torchtitan does.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import torch
from torch import Tensor
from torch.autograd.grad_mode import _unsafe_preserve_version_counter

from l3_modeltools.training.dryrun.kernels import OPS
from l3_modeltools.training.dryrun.model.exchange import scattered
from l3_modeltools.training.dryrun.model.weights import Weight
from l3_modeltools.training.dryrun.rank import DTYPES, Group, Rank
from l3_modeltools.training.dryrun.record import Ledger

__all__ = ["Exchange", "Plan", "State"]


@dataclass(frozen=True, kw_only=True, slots=True)
class Plan:
    """What is shared, in which formats."""

    zero_stage: int
    gathers: bool
    """Whether weights are gathered for each layer; else they stay gathered."""
    sums: bool
    """Whether whole gradients are summed over micro batches; else shares of them."""
    master: bool
    """Whether the optimizer has fp32 weights of its own."""
    stored: torch.dtype
    """Of a share of the weights."""
    read: torch.dtype
    """Of the weights that products read."""
    gradients: torch.dtype
    reduced: torch.dtype
    moments: torch.dtype

    @staticmethod
    def of(rank: Rank) -> "Plan":
        """The plan of a setting; with a single copy there is nothing to share."""
        practice, strategy = rank.practice, rank.setting.strategy
        zero = strategy.zero_stage if rank.copies.ranks > 1 else 0
        cast = zero == 3 and practice.kept.master_only
        return Plan(
            zero_stage=zero,
            gathers=zero == 3 and strategy.degrees.pp == 1,
            sums=zero < 2 or strategy.degrees.pp > 1,
            master=practice.master_weights and practice.weights != "fp32" and not cast,
            stored=torch.float32 if cast else rank.weights,
            read=rank.compute if cast else rank.weights,
            gradients=DTYPES[practice.gradients],
            reduced=DTYPES[practice.reduced],
            moments=DTYPES[practice.moments],
        )


@dataclass(slots=True)
class Exchange:
    """What all states of a rank have in common: memory of what is on its way between copies."""

    arrival: Tensor | None = None
    """Where gathered weights arrive, before they are copied to their places."""
    leaving: Tensor | None = None
    """The gradients that were scattered last: they are let go when the next ones are."""

    def lay(self, states: "Sequence[State]", plan: Plan, ledger: Ledger) -> None:
        """Have room for weights that arrive, one state after the other: as much as the largest takes.

        It belongs to the exchanges' own stream: a caching allocator gives it to no other (docs of torch.cuda.memory).
        """
        if plan.zero_stage == 3 and states:
            with ledger.purpose("communication"):
                most = max(state.group.ranks * state.share for state in states)
                self.arrival = torch.empty(most, dtype=plan.read)


class State:
    """Weights that lie in one flat tensor, with all that belongs to them."""

    def __init__(
        self, weights: Sequence[Weight], plan: Plan, group: Group, exchange: Exchange, ledger: Ledger
    ) -> None:
        self.weights, self.plan, self.group, self.exchange = weights, plan, group, exchange
        self.ledger = ledger
        self.numel = sum(weight.numel for weight in weights)
        self.share = -(-self.numel // group.ranks) if plan.zero_stage else self.numel
        with ledger.purpose("communication" if plan.gathers else "weights"):
            self.values = torch.empty(self.numel, dtype=plan.read)
        with ledger.purpose("weights"):
            self.stored = torch.empty(self.share, dtype=plan.stored) if plan.zero_stage == 3 else self.values
        with ledger.purpose("gradients"):
            self.sums = torch.empty(self.numel, dtype=plan.gradients) if plan.sums else None
            shares = plan.zero_stage >= 2
            self.sum_share = torch.empty(self.share, dtype=plan.gradients) if shares else None
        with ledger.purpose("optimizer"):
            self.master = torch.empty(self.share, dtype=torch.float32) if plan.master else None
            self.moments = [torch.empty(self.share, dtype=plan.moments) for _ in range(2)]
        self._place()
        self.let_go()

    def _place(self) -> None:
        rooms = self._parts(self.values)
        totals = [None] * len(self.weights) if self.sums is None else self._parts(self.sums)
        for weight, room, total in zip(self.weights, rooms, totals, strict=True):
            weight.place(room, total)

    def _parts(self, flat: Tensor) -> Sequence[Tensor]:
        """The part of a flat tensor that belongs to each weight."""
        return flat.split([weight.numel for weight in self.weights])  # type: ignore[no-any-return, no-untyped-call]

    @property
    def is_gathered(self) -> bool:
        """Whether the weights are there."""
        return self.values.untyped_storage().nbytes() > 0

    def gather(self) -> None:
        """Have the weights; FSDP2 gets them in one piece and copies it to where they belong.

        They are the weights that autograd has seen, whatever was done to their room meanwhile.
        """
        if self.is_gathered or self.exchange.arrival is None:
            return
        arrived = self.exchange.arrival[: self.group.ranks * self.share]
        with self.ledger.purpose("communication"):
            arrived[: self.share].copy_(self.stored)
            OPS.all_gather_(arrived, self.group.name, self.group.ranks)
            self.ledger.resize(self.values, self.numel * self.values.element_size())
            with torch.no_grad(), _unsafe_preserve_version_counter(self.values):
                self.values.copy_(arrived[: self.numel])

    def let_go(self) -> None:
        """Keep the share only, where weights are gathered for each layer."""
        if self.plan.gathers and self.is_gathered:
            self.ledger.resize(self.values, 0)

    def scatter(self) -> None:
        """Add up the gradients that a backward pass left, as a share of all ranks' sum."""
        if self.sum_share is None or self.plan.sums or all(one.value.grad is None for one in self.weights):
            return
        self.exchange.leaving = None
        with self.ledger.purpose("communication", lasting=False), torch.no_grad():
            whole = torch.zeros(self.numel, dtype=self.plan.reduced)
            for weight, part in zip(self.weights, self._parts(whole), strict=True):
                if weight.value.grad is not None:
                    part.copy_(weight.value.grad.flatten())
                weight.value.grad = None
            self.sum_share += scattered(whole, self.group)
        self.exchange.leaving = whole

    def step(self) -> None:
        """Exchange the sums of gradients, let Adam change this rank's share, and have all weights again."""
        gradient = self._exchanged()
        target = self.stored[: self.share] if self.master is None else self.master
        OPS.adamw_(target, gradient, *self.moments, 1e-4, 0.1)
        if self.master is not None:
            self.stored[: self.share].copy_(self.master)
        if self.plan.zero_stage in (1, 2) and self.group.ranks > 1:
            OPS.all_gather_(self.values, self.group.name, self.group.ranks)

    def _exchanged(self) -> Tensor:
        """This rank's share of the summed gradients; they travel in the format that the practice says."""
        if self.sums is None:
            return self._room
        with self.ledger.purpose("communication", lasting=False):
            came = self._sent(self.sums)
        if came is not self.sums or self.sum_share is not None:
            self._room.copy_(came[: self.share])
        return self._room

    @property
    def _room(self) -> Tensor:
        """Where this rank's share of the sums lies."""
        if self.sum_share is not None:
            return self.sum_share
        return self.values if self.sums is None else self.sums[: self.share]

    def _sent(self, sums: Tensor) -> Tensor:
        if self.group.is_alone:
            return sums
        if self.plan.zero_stage >= 2 or sums.dtype is not self.plan.reduced:
            sums = sums.to(self.plan.reduced, copy=True)
        exchange = OPS.reduce_scatter_ if self.plan.zero_stage else OPS.all_reduce_
        exchange(sums, self.group.name, self.group.ranks)
        return sums
