"""Attention of a layer, its heads cut over the tensor-parallel group: grouped, and latent."""

from functools import partial
from typing import cast

import torch
from torch import Tensor, nn
from torch.autograd.function import FunctionCtx
from torch.utils.checkpoint import checkpoint

from l3_modeltools.schemas import GroupedAttention, LatentAttention
from l3_modeltools.training.dryrun.kernels import OPS
from l3_modeltools.training.dryrun.model.core import attend
from l3_modeltools.training.dryrun.model.exchange import copied, gather
from l3_modeltools.training.dryrun.model.norm import Norm
from l3_modeltools.training.dryrun.model.product import Product
from l3_modeltools.training.dryrun.model.site import Site
from l3_modeltools.training.dryrun.model.way import Way

__all__ = ["Grouped", "Latent", "attention_of"]


class Grouped(nn.Module):
    """Queries, keys and values straight from the stream."""

    def __init__(self, site: Site, attention: GroupedAttention, way: Way) -> None:
        super().__init__()
        self.site, self.way = site, way
        rank, (size, _) = site.rank, site.rank.head_sizes
        widths = (rank.heads * size, rank.groups * size, rank.groups * size)
        self.inputs = Product(
            site, rank.hidden, widths, cut="columns", bias=attention.attention_bias, keeps=way.keeps_gathered
        )
        outer = attention.attention_bias if attention.output_bias is None else attention.output_bias
        self.output = Product(site, rank.heads * size, (rank.hidden,), cut="rows", bias=outer)
        self.norms = nn.ModuleList(Norm(site, size) for _ in range(2 * attention.qk_norm))

    def forward(self, x: Tensor) -> Tensor:
        """(tokens or a slice of them, hidden) to the same."""
        rank = self.site.rank
        query, key, value = (_split(one, rank.batch, rank.head_sizes[0]) for one in self.inputs(x))
        if self.norms:
            query, key = self.norms[0](query), self.norms[1](key)
        if rank.has_rotations:
            query, key = rotated(query, self.site), rotated(key, self.site)
        return _finish(self, query, key, value)


class Latent(nn.Module):
    """Queries, keys, values out of compressed ones that all ranks compute whole (arXiv:2405.04434, section 2.1)."""

    def __init__(self, site: Site, attention: LatentAttention, way: Way) -> None:
        super().__init__()
        self.site, self.way, self.attention = site, way, attention
        rank, (size, value) = site.rank, site.rank.head_sizes
        low, queries = attention.q_lora_rank, rank.heads * size
        keeps = way.keeps_gathered
        self.down = Product(site, rank.hidden, (low,), cut="none") if low else None
        self.down_norm = Norm(site, low) if low else None
        self.queries = Product(site, low or rank.hidden, (queries,), cut="columns", keeps=keeps)
        shared = attention.kv_lora_rank + attention.qk_rope_head_dim
        self.compress = Product(site, rank.hidden, (shared,), cut="none")
        self.norm = Norm(site, attention.kv_lora_rank)
        widths = (rank.heads * attention.qk_nope_head_dim, rank.heads * value)
        self.expand = Product(site, attention.kv_lora_rank, widths, cut="columns", keeps=keeps)
        self.output = Product(site, rank.heads * value, (rank.hidden,), cut="rows")

    def forward(self, x: Tensor) -> Tensor:
        """(tokens or a slice of them, hidden) to the same."""
        rank, attention = self.site.rank, self.attention
        low = x if self.down is None or self.down_norm is None else self.down_norm(self.down(x)[0])
        query = _split(self.queries(low)[0], rank.batch, rank.head_sizes[0])
        latent, turned = self.compress(x)[0].split((attention.kv_lora_rank, attention.qk_rope_head_dim), -1)
        spread = (
            gather(turned, rank.tensor, self.site.ledger) if rank.is_sliced else copied(turned, rank.tensor)
        )
        plain, value = self.expand(self.norm(latent))
        key = _split(plain, rank.batch, attention.qk_nope_head_dim)
        query, key = self._placed(query, key, _split(spread, rank.batch, attention.qk_rope_head_dim))
        return _finish(self, query, key, _split(value, rank.batch, attention.v_head_dim))

    def _placed(self, query: Tensor, key: Tensor, turned: Tensor) -> tuple[Tensor, Tensor]:
        """Rotate a part of each query; all heads' keys share the part that is rotated."""
        plain, part = query.split((self.attention.qk_nope_head_dim, self.attention.qk_rope_head_dim), -1)  # type: ignore[no-untyped-call]
        query = torch.cat((plain, rotated(part, self.site)), -1)
        shared = rotated(turned, self.site).expand(-1, -1, key.shape[2], -1)
        return query, torch.cat((key, shared), -1)


def attention_of(site: Site, way: Way) -> Grouped | Latent:
    """The attention of an architecture."""
    attention = site.rank.architecture.attention
    if isinstance(attention, LatentAttention):
        return Latent(site, attention, way)
    return Grouped(site, attention, way)


def rotated(x: Tensor, site: Site) -> Tensor:
    """Queries or keys (s, b, h, d), turned by their places."""
    return cast(Tensor, _Rotate.apply(x, site))  # type: ignore[no-untyped-call]


class _Rotate(torch.autograd.Function):
    @staticmethod
    def forward(ctx: FunctionCtx, x: Tensor, site: Site) -> Tensor:
        ctx.site = site  # type: ignore[attr-defined]
        return cast(Tensor, OPS.rotate(x, site.tables.cosines, site.tables.sines, False))

    @staticmethod
    def backward(ctx: FunctionCtx, gradient: Tensor) -> tuple[Tensor, None]:
        tables = ctx.site.tables  # type: ignore[attr-defined]
        return cast(Tensor, OPS.rotate(gradient, tables.cosines, tables.sines, True)), None


def _split(x: Tensor, batch: int, size: int) -> Tensor:
    """(tokens, h · size) as (s, b, h, size)."""
    return x.view(-1, batch, x.shape[1] // size, size)


def _finish(module: Grouped | Latent, query: Tensor, key: Tensor, value: Tensor) -> Tensor:
    """The core and the product behind it."""
    site = module.site
    core = partial(attend, site=site, scale=query.shape[-1] ** -0.5)
    if module.way.recomputes_core and not site.rank.practice.flash_attention:
        result = checkpoint(
            site.again(core), query, key, value, use_reentrant=False, preserve_rng_state=False
        )
    else:
        result = core(query, key, value)
    return cast(Tensor, module.output(result.reshape(-1, module.output.width))[0])
