"""The loss of logits whose vocabulary is cut over the tensor-parallel group, in the ways that trainers compute it."""

from typing import cast

import torch
from torch import Tensor
from torch.autograd.function import FunctionCtx, once_differentiable
from torch.nn import functional

from l3_modeltools.training.dryrun.kernels import OPS
from l3_modeltools.training.dryrun.model.exchange import summed
from l3_modeltools.training.dryrun.model.site import Site

__all__ = ["loss_of"]


def loss_of(logits: Tensor, labels: Tensor, site: Site) -> Tensor:
    """Sum −ln p(label) in fp32 over (tokens, part of the vocabulary); what its passes make counts as logits."""
    logits = cast(Tensor, _Switch.apply(logits, site, False))  # type: ignore[no-untyped-call]
    return cast(Tensor, _Switch.apply(_loss(logits, labels, site), site, True))  # type: ignore[no-untyped-call]


def _loss(logits: Tensor, labels: Tensor, site: Site) -> Tensor:
    practice = site.rank.practice
    if practice.fused_loss:
        return cast(Tensor, _Fused.apply(logits, labels, site))  # type: ignore[no-untyped-call]
    wide = logits.float()
    del logits
    if practice.kept.logits_in_place:
        return cast(Tensor, _InPlace.apply(wide, labels, site))  # type: ignore[no-untyped-call]
    if site.rank.tensor.is_alone:
        return functional.cross_entropy(wide, labels, reduction="sum")
    return cast(Tensor, _Apart.apply(wide, labels, site))  # type: ignore[no-untyped-call]


def _logarithms(largest: Tensor, sums: Tensor, site: Site) -> Tensor:
    """ln Σ exp over the whole vocabulary, from each rank's largest logit and its sum of exponentials beyond that."""
    group = site.rank.tensor
    highest = summed(largest, group, "max")
    return highest + summed(sums * (largest - highest).exp(), group).log()


class _Switch(torch.autograd.Function):
    """Tells the ledger where the loss's backward pass begins and ends."""

    @staticmethod
    def forward(ctx: FunctionCtx, x: Tensor, site: Site, begins: bool) -> Tensor:
        ctx.of = site, begins  # type: ignore[attr-defined]
        return x.view_as(x)

    @staticmethod
    def backward(ctx: FunctionCtx, gradient: Tensor) -> tuple[Tensor, None, None]:
        site, begins = ctx.of  # type: ignore[attr-defined]
        site.ledger.switch("logits" if begins else "other", lasting=begins)
        return gradient, None, None


class _Fused(torch.autograd.Function):
    """One kernel reads the logits and gives the loss, another reads them again and gives the gradient."""

    @staticmethod
    def forward(ctx: FunctionCtx, logits: Tensor, labels: Tensor, site: Site) -> Tensor:
        largest, sums, label = OPS.row_sums(logits, labels, site.start)
        logarithms = _logarithms(largest, sums, site)
        ctx.site = site  # type: ignore[attr-defined]
        ctx.save_for_backward(logits, labels, logarithms)
        return (logarithms - summed(label, site.rank.tensor)).sum()

    @staticmethod
    @once_differentiable
    def backward(ctx: FunctionCtx, outer: Tensor) -> tuple[Tensor, None, None]:
        logits, labels, logarithms = ctx.saved_tensors  # type: ignore[attr-defined]
        site: Site = ctx.site  # type: ignore[attr-defined]
        if site.rank.practice.kept.logits_in_place:
            OPS.loss_gradient_(logits, labels, logarithms, outer, site.start)
            return logits, None, None
        return OPS.loss_gradient(logits, labels, logarithms, outer, site.start), None, None


class _InPlace(torch.autograd.Function):
    """Shares are written over fp32 logits, and their gradient over the shares, as in Megatron-LM.

    (megatron/core/tensor_parallel/cross_entropy.py)
    """

    @staticmethod
    def forward(ctx: FunctionCtx, wide: Tensor, labels: Tensor, site: Site) -> Tensor:
        values, group = wide.detach(), site.rank.tensor
        values -= summed(values.amax(-1), group, "max").unsqueeze(-1)
        place, own = _label_places(labels, values, site)
        label = summed(values.gather(-1, place).squeeze(-1) * own, group)
        sums = summed(values.exp_().sum(-1), group)
        values /= sums.unsqueeze(-1)
        ctx.site = site  # type: ignore[attr-defined]
        ctx.save_for_backward(values, labels)
        return (sums.log() - label).sum()

    @staticmethod
    @once_differentiable
    def backward(ctx: FunctionCtx, outer: Tensor) -> tuple[Tensor, None, None]:
        shares, labels = ctx.saved_tensors  # type: ignore[attr-defined]
        place, own = _label_places(labels, shares, ctx.site)  # type: ignore[attr-defined]
        shares.scatter_add_(-1, place, -own.unsqueeze(-1).float())
        return shares.mul_(outer), None, None


class _Apart(torch.autograd.Function):
    """Kernel by kernel: logarithms of the shares are kept, and the gradient is a tensor of its own.

    (torch.distributed.tensor.parallel.loss_parallel)
    """

    @staticmethod
    def forward(ctx: FunctionCtx, wide: Tensor, labels: Tensor, site: Site) -> Tensor:
        group = site.rank.tensor
        shifted = wide - summed(wide.amax(-1), group, "max").unsqueeze(-1)
        logarithms = shifted - summed(shifted.exp().sum(-1), group).log().unsqueeze(-1)
        place, own = _label_places(labels, logarithms, site)
        ctx.site = site  # type: ignore[attr-defined]
        ctx.save_for_backward(logarithms, labels)
        return -summed(logarithms.gather(-1, place).squeeze(-1) * own, group).sum()

    @staticmethod
    @once_differentiable
    def backward(ctx: FunctionCtx, outer: Tensor) -> tuple[Tensor, None, None]:
        logarithms, labels = ctx.saved_tensors  # type: ignore[attr-defined]
        place, own = _label_places(labels, logarithms, ctx.site)  # type: ignore[attr-defined]
        picked = torch.zeros_like(logarithms).scatter_(-1, place, -own.unsqueeze(-1).float())
        return (picked + logarithms.exp()) * outer, None, None


def _label_places(labels: Tensor, logits: Tensor, site: Site) -> tuple[Tensor, Tensor]:
    """Columns of the labels, and whether this rank has them."""
    place = labels - site.start
    own = (place >= 0) & (place < logits.shape[-1])
    return place.clamp(0, logits.shape[-1] - 1).unsqueeze(-1), own
