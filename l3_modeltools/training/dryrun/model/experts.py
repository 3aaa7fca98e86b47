"""A mixture of experts dealt over ranks; every expert is taken to get as many tokens as any other."""

from typing import cast

import torch
from torch import Tensor, nn
from torch.autograd.function import FunctionCtx
from torch.nn import functional

from l3_modeltools.schemas import Experts
from l3_modeltools.training.dryrun.model.activation import activated
from l3_modeltools.training.dryrun.model.exchange import swap
from l3_modeltools.training.dryrun.model.feedforward import FeedForward
from l3_modeltools.training.dryrun.model.product import Product
from l3_modeltools.training.dryrun.model.site import Site
from l3_modeltools.training.dryrun.model.way import Way
from l3_modeltools.training.dryrun.model.weights import Weight

__all__ = ["Mixture"]


class Mixture(nn.Module):
    """Router, experts of this rank, and those that every token goes through."""

    def __init__(self, site: Site, experts: Experts, way: Way) -> None:
        super().__init__()
        self.site, self.experts = site, experts
        rank, gated = site.rank, site.rank.architecture.mlp.gated
        self.count = experts.n_routed_experts // rank.expert.ranks
        width = experts.moe_intermediate_size
        self.router = Product(site, rank.hidden, (experts.n_routed_experts,), cut="none")
        self.inputs = ExpertProduct(site, self.count, rank.hidden, (width,) * (2 if gated else 1))
        self.output = ExpertProduct(site, self.count, width, (rank.hidden,))
        shared = experts.n_shared_experts * width
        self.shared = FeedForward(site, shared, way) if shared else None

    def forward(self, x: Tensor) -> Tensor:
        """(slice of the tokens, hidden) to the same."""
        weights, order = self._route(x)
        copies = x.index_select(0, order // self.experts.num_experts_per_tok)
        came = self._dealt(swap(copies, self.site.rank.expert))
        weight = self._dealt(swap(weights.unsqueeze(-1), self.site.rank.expert)).flatten()
        wide = self.inputs(came)
        inner = activated(self.site.rank, *_pair(wide), weight.view(wide[0].shape[:2]))
        went = self.output(inner)[0].flatten(0, 1)[: len(copies)]
        back = swap(self._collected(went), self.site.rank.expert)
        place = (order // self.experts.num_experts_per_tok).unsqueeze(-1).expand_as(back)
        routed = torch.zeros_like(x).scatter_add(0, place, back)
        return routed if self.shared is None else routed + self.shared(x)

    def _route(self, x: Tensor) -> tuple[Tensor, Tensor]:
        """Weights of the chosen experts, and the order that puts what goes to the same expert together."""
        scores = self.router(x)[0].float()
        shares = scores.sigmoid() if self.experts.n_group > 1 else scores.softmax(-1)
        weights, chosen = shares.topk(self.experts.num_experts_per_tok, -1)
        if self.experts.norm_topk_prob:
            weights = weights / weights.sum(-1, keepdim=True)
        order = chosen.flatten().argsort()
        return (weights * self.experts.routed_scaling_factor).flatten().index_select(0, order), order

    def _dealt(self, x: Tensor) -> Tensor:
        """What came from each rank for each expert, by expert: (experts, tokens, width)."""
        ranks, rows = self.site.rank.expert.ranks, -(-len(x) // self.count)
        if rows * self.count > len(x):
            x = functional.pad(x, (0, 0, 0, rows * self.count - len(x)))
        if ranks > 1 and self.count > 1 and len(x) % (ranks * self.count) == 0:
            x = x.unflatten(0, (ranks, self.count, -1)).transpose(0, 1).flatten(0, 2)  # type: ignore[no-untyped-call]
        return x.view(self.count, rows, -1)

    def _collected(self, x: Tensor) -> Tensor:
        """The way back of `_dealt`, by rank again."""
        ranks = self.site.rank.expert.ranks
        if ranks > 1 and self.count > 1 and len(x) % (ranks * self.count) == 0:
            return x.unflatten(0, (self.count, ranks, -1)).transpose(0, 1).flatten(0, 2)  # type: ignore[no-any-return, no-untyped-call]
        return x


def _pair(wide: tuple[Tensor, ...]) -> tuple[Tensor, Tensor | None]:
    return wide[0], wide[1] if len(wide) > 1 else None


class ExpertProduct(nn.Module):
    """Products of each expert's tokens with its own matrices (experts, out, in)."""

    def __init__(self, site: Site, count: int, width: int, outputs: tuple[int, ...]) -> None:
        super().__init__()
        self.site = site
        self.weights = nn.ModuleList(Weight(count, size, width, is_expert=True) for size in outputs)

    def forward(self, x: Tensor) -> tuple[Tensor, ...]:
        """Multiply (experts, tokens, in) to one (experts, tokens, out) for each kind of matrix."""
        values = (cast(Weight, weight).value for weight in self.weights)
        return cast(tuple[Tensor, ...], _ExpertProducts.apply(x, self, *values))  # type: ignore[no-untyped-call]

    def matrix(self, at: int) -> Tensor:
        """The matrices of one kind in the products' format."""
        return cast(Weight, self.weights[at]).value.detach().to(self.site.rank.compute)

    def weigh(self, gradients: tuple[Tensor, ...], x: Tensor) -> list[Tensor | None]:
        """Gradients of the matrices, or None where they went to their sums."""
        pairs = zip(self.weights, gradients, strict=True)
        return [cast(Weight, weight).accumulate(gradient, x) for weight, gradient in pairs]


class _ExpertProducts(torch.autograd.Function):
    @staticmethod
    def forward(ctx: FunctionCtx, x: Tensor, product: ExpertProduct, *values: Tensor) -> tuple[Tensor, ...]:
        ctx.product = product  # type: ignore[attr-defined]
        ctx.save_for_backward(x)
        return tuple(x @ product.matrix(at).mT for at in range(len(values)))

    @staticmethod
    def backward(ctx: FunctionCtx, *gradients: Tensor) -> tuple[Tensor | None, ...]:
        product: ExpertProduct = ctx.product  # type: ignore[attr-defined]
        (x,) = ctx.saved_tensors  # type: ignore[attr-defined]
        along = gradients[0] @ product.matrix(0)
        for at, gradient in enumerate(gradients[1:], 1):
            along.baddbmm_(gradient, product.matrix(at))
        if product.site.deferred is not None:
            product.site.deferred.append(lambda: _later(product, gradients, x))
            return along, None, *(None for _ in gradients)
        return along, None, *product.weigh(gradients, x)


def _later(product: ExpertProduct, gradients: tuple[Tensor, ...], x: Tensor) -> None:
    product.weigh(gradients, x)
