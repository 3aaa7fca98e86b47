"""Where a rank's modules stand: what they all look up while they are built and while they run."""

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import cast

import torch
from torch import Tensor, nn

from l3_modeltools.training.dryrun.model.weights import Deferred
from l3_modeltools.training.dryrun.rank import Rank
from l3_modeltools.training.dryrun.record import Ledger

__all__ = ["Site", "Tables"]


@dataclass(frozen=True, kw_only=True, slots=True)
class Tables:
    """Small tensors that all layers read; tokens of the sequence lead, those of this rank or all of them."""

    places: Tensor
    """Places of this rank's tokens in the sequence."""
    key_places: Tensor
    """Those of all tokens, in the order in which context parallelism gathers them."""
    slopes: Tensor | None
    """ALiBi's, for each head of this rank."""
    cosines: Tensor | None
    sines: Tensor | None


def _plainly(module: nn.Module, x: Tensor) -> Tensor:
    return cast(Tensor, module(x))


@dataclass(kw_only=True, slots=True)
class Site:
    """One rank of one stage, at work."""

    rank: Rank
    ledger: Ledger
    tables: Tables
    tensor_rank: int = 0
    """This rank's number in the tensor-parallel group."""
    deferred: Deferred | None = field(default=None)
    """Takes gradients of weights that are to be computed later; None: none are."""
    run: Callable[[nn.Module, Tensor], Tensor] = _plainly
    """Runs a layer, with what is to be done before and after it."""
    outputs: list[Tensor] = field(default_factory=list)
    """Logits that are kept until their backward pass, or the step, is over."""

    @property
    def start(self) -> int:
        """The first token of this rank's part of the vocabulary."""
        return self.tensor_rank * self.rank.vocabulary

    @property
    def anchor(self) -> Tensor:
        """An empty tensor that asks for a gradient, so that what follows it has one."""
        return torch.empty(0, requires_grad=True)

    def again(self, run: Callable[..., Tensor]) -> Callable[..., Tensor]:
        """The same pass, of which the ledger knows that it is a forward pass, also where it is computed again."""

        def watched(*tensors: Tensor) -> Tensor:
            with self.ledger.forward():
                return run(*tensors)

        return watched
