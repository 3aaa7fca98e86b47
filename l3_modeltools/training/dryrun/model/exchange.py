"""Exchanges that autograd knows: each with the one that takes its gradient back."""

from typing import cast

import torch
from torch import Tensor
from torch.autograd.function import FunctionCtx

from l3_modeltools.training.dryrun.kernels import OPS
from l3_modeltools.training.dryrun.rank import Group
from l3_modeltools.training.dryrun.record import Ledger

__all__ = ["copied", "gather", "gathered", "receive", "reduce", "scattered", "send", "summed", "swap"]


def gathered(x: Tensor, group: Group, ledger: Ledger) -> Tensor:
    """All ranks' parts, one after the other, of a tensor of whose gradient autograd takes no note."""
    if group.is_alone:
        return x
    with ledger.purpose("communication", lasting=False):
        return cast(Tensor, OPS.all_gather(x, group.name, group.ranks))


def scattered(x: Tensor, group: Group) -> Tensor:
    """This rank's part of the sum over all ranks."""
    return x if group.is_alone else cast(Tensor, OPS.reduce_scatter(x, group.name, group.ranks))


def summed(x: Tensor, group: Group, kind: str = "sum") -> Tensor:
    """The sum over all ranks, or their largest."""
    return x if group.is_alone else cast(Tensor, OPS.all_reduce(x, group.name, group.ranks, kind))


def gather(x: Tensor, group: Group, ledger: Ledger) -> Tensor:
    """All ranks' parts; their gradients are summed and scattered."""
    return x if group.is_alone else cast(Tensor, _Gather.apply(x, group, ledger))  # type: ignore[no-untyped-call]


def copied(x: Tensor, group: Group) -> Tensor:
    """What all ranks have alike and each reads for itself; its gradients are summed."""
    return x if group.is_alone else cast(Tensor, _Copy.apply(x, group))  # type: ignore[no-untyped-call]


def reduce(x: Tensor, group: Group, ledger: Ledger, *, sliced: bool) -> Tensor:
    """The sum over all ranks, or this rank's slice of it."""
    return x if group.is_alone else cast(Tensor, _Reduce.apply(x, group, ledger, sliced))  # type: ignore[no-untyped-call]


def swap(x: Tensor, group: Group) -> Tensor:
    """Give each rank its part, and get one from each."""
    return x if group.is_alone else cast(Tensor, _Swap.apply(x, group))  # type: ignore[no-untyped-call]


def receive(anchor: Tensor, shape: tuple[int, ...], dtype: torch.dtype) -> Tensor:
    """What the stage before gives; its gradient goes back there."""
    return cast(Tensor, _Receive.apply(anchor, shape, dtype))  # type: ignore[no-untyped-call]


def send(x: Tensor, ledger: Ledger, *, keeps: bool) -> Tensor:
    """Give the next stage a tensor and have an empty one, whose backward pass gets the gradient from there.

    Unless it is kept, as torch.distributed.pipelining does, nothing but the backward pass holds what was sent.
    """
    return cast(Tensor, _Send.apply(x, ledger, keeps))  # type: ignore[no-untyped-call]


PIPELINE = "pipeline"


class _Gather(torch.autograd.Function):
    @staticmethod
    def forward(ctx: FunctionCtx, x: Tensor, group: Group, ledger: Ledger) -> Tensor:
        ctx.group = group  # type: ignore[attr-defined]
        return gathered(x, group, ledger)

    @staticmethod
    def backward(ctx: FunctionCtx, gradient: Tensor) -> tuple[Tensor, None, None]:
        return scattered(gradient, ctx.group), None, None  # type: ignore[attr-defined]


class _Copy(torch.autograd.Function):
    @staticmethod
    def forward(ctx: FunctionCtx, x: Tensor, group: Group) -> Tensor:
        ctx.group = group  # type: ignore[attr-defined]
        return x.view_as(x)

    @staticmethod
    def backward(ctx: FunctionCtx, gradient: Tensor) -> tuple[Tensor, None]:
        return summed(gradient, ctx.group), None  # type: ignore[attr-defined]


class _Reduce(torch.autograd.Function):
    @staticmethod
    def forward(ctx: FunctionCtx, x: Tensor, group: Group, ledger: Ledger, sliced: bool) -> Tensor:
        ctx.of = group, ledger, sliced  # type: ignore[attr-defined]
        return scattered(x, group) if sliced else summed(x, group)

    @staticmethod
    def backward(ctx: FunctionCtx, gradient: Tensor) -> tuple[Tensor, None, None, None]:
        group, ledger, sliced = ctx.of  # type: ignore[attr-defined]
        return (gathered(gradient, group, ledger) if sliced else gradient), None, None, None


class _Swap(torch.autograd.Function):
    @staticmethod
    def forward(ctx: FunctionCtx, x: Tensor, group: Group) -> Tensor:
        ctx.group = group  # type: ignore[attr-defined]
        return cast(Tensor, OPS.all_to_all(x, group.name, group.ranks))

    @staticmethod
    def backward(ctx: FunctionCtx, gradient: Tensor) -> tuple[Tensor, None]:
        group: Group = ctx.group  # type: ignore[attr-defined]
        return cast(Tensor, OPS.all_to_all(gradient, group.name, group.ranks)), None


class _Receive(torch.autograd.Function):
    @staticmethod
    def forward(ctx: FunctionCtx, anchor: Tensor, shape: tuple[int, ...], dtype: torch.dtype) -> Tensor:
        return cast(Tensor, OPS.receive(anchor, shape, dtype, PIPELINE, -1))

    @staticmethod
    def backward(ctx: FunctionCtx, gradient: Tensor) -> tuple[None, None, None]:
        OPS.send(gradient, PIPELINE, -1)
        return None, None, None


class _Send(torch.autograd.Function):
    @staticmethod
    def forward(ctx: FunctionCtx, x: Tensor, ledger: Ledger, keeps: bool) -> Tensor:
        ctx.of = x.shape, x.dtype, ledger  # type: ignore[attr-defined]
        ctx.save_for_backward(*(x,) * keeps)
        OPS.send(x, PIPELINE, 1)
        return x.new_empty(0)

    @staticmethod
    def backward(ctx: FunctionCtx, gradient: Tensor) -> tuple[Tensor, None, None]:
        shape, dtype, ledger = ctx.of  # type: ignore[attr-defined]
        with ledger.purpose("communication", lasting=False):
            return cast(Tensor, OPS.receive(gradient, shape, dtype, PIPELINE, 1)), None, None
