"""What is gathered and scattered together: a layer or an end of the model, as its passes begin and end."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import pairwise
from typing import cast

import torch
from torch import Tensor, nn
from torch.autograd.function import FunctionCtx

from l3_modeltools.training.dryrun.model.weights import Weight
from l3_modeltools.training.dryrun.rank import Rank
from l3_modeltools.training.dryrun.record import Ledger
from l3_modeltools.training.dryrun.states import Exchange, Plan, State

__all__ = ["Unit", "chained", "make_units", "sharded"]


class Unit:
    """States of modules whose weights come and go together, and the units of the layers before and after."""

    def __init__(self, states: Sequence[State]) -> None:
        self.states = states
        self.before: Unit | None = None
        self.after: Unit | None = None

    def gather(self, ahead: "Unit | None" = None) -> None:
        """Have the weights, and those of the unit that comes next."""
        for state in (*self.states, *(ahead.states if ahead else ())):
            state.gather()

    def let_go(self) -> None:
        """Keep the shares only."""
        for state in self.states:
            state.let_go()

    def scatter(self) -> None:
        """Add up the gradients that a backward pass left."""
        for state in self.states:
            state.scatter()

    def end(self) -> None:
        """Add up the gradients and keep the shares only, and nothing that is on its way: a backward pass is over."""
        self.let_go()
        self.scatter()
        for state in self.states:
            state.exchange.leaving = None


def make_units(parts: Iterable[Sequence[nn.Module]], rank: Rank, plan: Plan, ledger: Ledger) -> list[Unit]:
    """Give the weights of each part room; those of earlier parts have theirs."""
    known, units, exchange = set[Weight](), list[Unit](), Exchange()
    for modules in parts:
        weights = [one for one in dict.fromkeys(_weights(modules)) if one not in known]
        known.update(weights)
        shared = [one for one in weights if not one.is_expert]
        experts = [one for one in weights if one.is_expert]
        pairs = ((shared, rank.copies), (experts, rank.expert_copies))
        units.append(Unit([State(found, plan, group, exchange, ledger) for found, group in pairs if found]))
    exchange.lay([state for unit in units for state in unit.states], plan, ledger)
    return units


def chained(units: Sequence[Unit]) -> None:
    """Let each know the one before and the one after it."""
    for before, after in pairwise(units):
        before.after, after.before = after, before


def sharded(units: Mapping[nn.Module, Unit], layer: nn.Module, x: Tensor) -> Tensor:
    """Run a layer whose weights, or gradients, are there only while it is at work."""
    unit = units[layer]
    x = cast(Tensor, _Enter.apply(x, unit))  # type: ignore[no-untyped-call]
    return cast(Tensor, _Leave.apply(layer(x), unit))  # type: ignore[no-untyped-call]


def _weights(modules: Sequence[nn.Module]) -> Iterator[Weight]:
    for module in modules:
        yield from (one for one in module.modules() if isinstance(one, Weight))


class _Enter(torch.autograd.Function):
    """Before a layer's forward pass, and after its backward pass."""

    @staticmethod
    def forward(ctx: FunctionCtx, x: Tensor, unit: Unit) -> Tensor:
        ctx.unit = unit  # type: ignore[attr-defined]
        unit.gather(unit.after)
        return x.view_as(x)

    @staticmethod
    def backward(ctx: FunctionCtx, gradient: Tensor) -> tuple[Tensor, None]:
        unit: Unit = ctx.unit  # type: ignore[attr-defined]
        unit.let_go()
        unit.scatter()
        return gradient, None


class _Leave(torch.autograd.Function):
    """After a layer's forward pass, and before its backward pass."""

    @staticmethod
    def forward(ctx: FunctionCtx, x: Tensor, unit: Unit) -> Tensor:
        ctx.unit = unit  # type: ignore[attr-defined]
        unit.let_go()
        return x.view_as(x)

    @staticmethod
    def backward(ctx: FunctionCtx, gradient: Tensor) -> tuple[Tensor, None]:
        unit: Unit = ctx.unit  # type: ignore[attr-defined]
        unit.gather(unit.before)
        return gradient, None
