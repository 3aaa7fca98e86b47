"""The core of attention: shares of what each token sees, with flash attention never written, else kept."""

from typing import cast

import torch
from torch import Tensor
from torch.autograd.function import FunctionCtx

from l3_modeltools.training.dryrun.kernels import OPS
from l3_modeltools.training.dryrun.model.exchange import gathered, scattered
from l3_modeltools.training.dryrun.model.site import Site

__all__ = ["DROPOUT", "attend"]

DROPOUT = 0.1
"""A share; what dropout costs does not depend on it."""


def attend(query: Tensor, key: Tensor, value: Tensor, site: Site, scale: float) -> Tensor:
    """Causal attention of (s, b, h, d) over (s, b, g, d) and (s, b, g, e): (s, b, h, e).

    Context parallelism gathers keys and values for each layer, and again for its backward pass
    (arXiv:2407.21783, section 3.3.2).
    """
    if site.rank.practice.flash_attention:
        return cast(Tensor, _Flash.apply(query, key, value, site, scale))  # type: ignore[no-untyped-call]
    return _written(query, key, value, site, scale)


class _Flash(torch.autograd.Function):
    @staticmethod
    def forward(
        ctx: FunctionCtx, query: Tensor, key: Tensor, value: Tensor, site: Site, scale: float
    ) -> Tensor:
        ctx.of = site, scale  # type: ignore[attr-defined]
        keys, values = _everywhere(site, key, value)
        tables = site.tables
        result, sums = OPS.attend(query, keys, values, tables.places, tables.key_places, tables.slopes, scale)
        ctx.save_for_backward(query, key, value, result, sums)
        return cast(Tensor, result)

    @staticmethod
    def backward(ctx: FunctionCtx, gradient: Tensor) -> tuple[Tensor, Tensor, Tensor, None, None]:
        query, key, value, result, sums = ctx.saved_tensors  # type: ignore[attr-defined]
        site, scale = ctx.of  # type: ignore[attr-defined]
        keys, values = _everywhere(site, key, value)
        tables: tuple[Tensor | None, ...] = site.tables.places, site.tables.key_places, site.tables.slopes
        of_query, of_keys, of_values = OPS.attend_backward(
            gradient, query, keys, values, result, sums, *tables, scale
        )
        group = site.rank.context
        return of_query, scattered(of_keys, group), scattered(of_values, group), None, None


def _everywhere(site: Site, *tensors: Tensor) -> tuple[Tensor, ...]:
    return tuple(gathered(tensor, site.rank.context, site.ledger) for tensor in tensors)


def _written(query: Tensor, key: Tensor, value: Tensor, site: Site, scale: float) -> Tensor:
    """Scores are written, made shares of, perhaps dropped, and multiplied with the values."""
    b, h = query.shape[1:3]
    scores = _heads(query, h) @ _heads(key, h).mT
    shares = _shares(scores.unflatten(0, (b, h)), site, scale).flatten(0, 1)  # type: ignore[no-untyped-call]
    if site.rank.practice.kept.dropout:
        shares = torch.native_dropout(shares, DROPOUT, True)[0]
    result = shares @ _heads(value, h)
    return result.unflatten(0, (b, h)).permute(2, 0, 1, 3)  # type: ignore[no-any-return, no-untyped-call]


def _heads(x: Tensor, heads: int) -> Tensor:
    """(s, b, g, d) as matrices, one for each query head: (b · h, s, d)."""
    x = x.permute(1, 2, 0, 3)
    groups = x.shape[1]
    if groups != heads:
        x = x.unsqueeze(2).expand(-1, -1, heads // groups, -1, -1).flatten(1, 2)
    return x.flatten(0, 1)


def _shares(scores: Tensor, site: Site, scale: float) -> Tensor:
    if site.rank.practice.fused_elementwise:
        return cast(Tensor, _Share.apply(scores, site, scale))  # type: ignore[no-untyped-call]
    tables = site.tables
    scores = scores * scale
    if tables.slopes is not None:
        scores = scores + (tables.slopes[:, None, None] * tables.key_places).to(scores.dtype)
    seen = tables.key_places <= tables.places[:, None]
    masked = scores.masked_fill(~seen, float("-inf"))
    return masked.softmax(-1, dtype=torch.float32).to(scores.dtype)


class _Share(torch.autograd.Function):
    @staticmethod
    def forward(ctx: FunctionCtx, scores: Tensor, site: Site, scale: float) -> Tensor:
        tables = site.tables
        shares = OPS.share(scores, tables.places, tables.key_places, tables.slopes, scale)
        ctx.scale = scale  # type: ignore[attr-defined]
        ctx.save_for_backward(shares)
        return cast(Tensor, shares)

    @staticmethod
    def backward(ctx: FunctionCtx, gradient: Tensor) -> tuple[Tensor, None, None]:
        (shares,) = ctx.saved_tensors  # type: ignore[attr-defined]
        return cast(Tensor, OPS.share_backward(gradient, shares, ctx.scale)), None, None  # type: ignore[attr-defined]
