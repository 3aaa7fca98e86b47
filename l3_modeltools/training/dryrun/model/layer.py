"""A layer of a decoder, computed in its own way: kept, again as a whole, or all but every second product."""

from functools import partial
from typing import cast

import torch
from torch import Tensor, nn
from torch.utils.checkpoint import CheckpointPolicy, checkpoint, create_selective_checkpoint_contexts

from l3_modeltools.training.dryrun.kernels import OPS
from l3_modeltools.training.dryrun.model.attention import attention_of
from l3_modeltools.training.dryrun.model.core import DROPOUT
from l3_modeltools.training.dryrun.model.experts import ExpertProduct, Mixture
from l3_modeltools.training.dryrun.model.feedforward import FeedForward
from l3_modeltools.training.dryrun.model.norm import Norm
from l3_modeltools.training.dryrun.model.product import Product
from l3_modeltools.training.dryrun.model.site import Site
from l3_modeltools.training.dryrun.model.way import Way

__all__ = ["Layer", "dropped"]


class Layer(nn.Module):
    """Attention and a feed-forward part, each behind a norm and beside the residual stream."""

    def __init__(self, site: Site, way: Way, *, sparse: bool) -> None:
        super().__init__()
        self.site, self.way = site, way
        architecture = site.rank.architecture
        self.norms = nn.ModuleList(Norm(site, architecture.hidden_size) for _ in range(2))
        self.attention = attention_of(site, way)
        experts = architecture.experts if sparse else None
        self.inner: nn.Module = (
            Mixture(site, experts, way)
            if experts
            else FeedForward(site, architecture.mlp.intermediate_size, way)
        )

    def forward(self, x: Tensor) -> Tensor:
        """(tokens or a slice of them, hidden) to the same."""
        if self.way.layer == "kept":
            return self._run(x)
        run = partial(
            checkpoint, self.site.again(self._run), x, use_reentrant=False, preserve_rng_state=False
        )
        if self.way.layer == "every_second_product":
            run = partial(run, context_fn=partial(create_selective_checkpoint_contexts, self._policy()))
        return cast(Tensor, run())

    def _policy(self) -> "EverySecond":
        found = (module for module in self.modules() if isinstance(module, Product | ExpertProduct))
        products = sum(len(module.weights) for module in found)
        return EverySecond(products - 1 if self.site.rank.practice.fused_elementwise else products)

    def _run(self, x: Tensor) -> Tensor:
        x = x + dropped(self.attention(self.norms[0](x)), self.site)
        return x + dropped(self.inner(self.norms[1](x)), self.site)


def dropped(x: Tensor, site: Site) -> Tensor:
    """Drop some values where the practice does."""
    return torch.native_dropout(x, DROPOUT, True)[0] if site.rank.practice.kept.dropout else x


class EverySecond:
    """What torchtitan saves of a layer: every second matrix product, attention's result, and sums over ranks.

    (torchtitan, torchtitan/distributed/activation_checkpoint.py.) A compiler leaves out what the backward pass will not
    read: the last product and what comes after it.
    """

    SAVED = frozenset((OPS.attend.default, OPS.reduce_scatter.default, OPS.all_reduce.default))
    PRODUCTS = frozenset((torch.ops.aten.mm.default, torch.ops.aten.bmm.default))

    def __init__(self, read: int) -> None:
        self.read = read
        """Products that may be read again."""
        self.products = {False: 0, True: 0}

    def __call__(
        self, context: object, operator: object, *args: object, **kwargs: object
    ) -> CheckpointPolicy:
        """Say of one operator whether its result is kept."""
        again = bool(getattr(context, "is_recompute", False))
        saved = operator in self.SAVED
        if operator in self.PRODUCTS:
            saved = self.products[again] % 2 == 0
            self.products[again] += 1
        saved = saved and self.products[again] <= self.read
        return CheckpointPolicy.MUST_SAVE if saved else CheckpointPolicy.PREFER_RECOMPUTE
