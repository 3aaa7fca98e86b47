"""Exchanges among ranks: where nothing is computed they give shapes, for groups of any size; else they happen.

Groups are named, so that the cost of a dry run does not depend on how many ranks there are: no group is made of them.
Tensors are gathered and scattered along their first dimension.
"""

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar

import torch
import torch.distributed as dist
from torch import Tensor

from l3_modeltools.training.dryrun.kernels.define import define, nothing

__all__ = ["MESSAGES", "joined"]

MEMBERS: ContextVar[Mapping[str, dist.ProcessGroup]] = ContextVar("members", default={})  # noqa: B039

MESSAGES = {
    "all_gather": "all_gather",
    "all_gather_": "all_gather",
    "reduce_scatter": "reduce_scatter",
    "reduce_scatter_": "reduce_scatter",
    "all_reduce": "all_reduce",
    "all_reduce_": "all_reduce",
    "all_to_all": "all_to_all",
    "send": "send",
    "receive": "receive",
}
"""The kind of exchange that an operator is."""


@contextmanager
def joined(members: Mapping[str, dist.ProcessGroup]) -> Iterator[None]:
    """Let exchanges within really happen, by these groups."""
    token = MEMBERS.set(members)
    try:
        yield
    finally:
        MEMBERS.reset(token)


def _group(name: str) -> dist.ProcessGroup:
    return MEMBERS.get()[name]


def _gather(x: Tensor, group: str, ranks: int) -> Tensor:
    parts = [torch.empty_like(x) for _ in range(ranks)]
    dist.all_gather(parts, x.contiguous(), group=_group(group))
    return torch.cat(parts)


def _gather_shapes(x: Tensor, group: str, ranks: int) -> Tensor:
    return x.new_empty(x.shape[0] * ranks, *x.shape[1:])


def _sum(x: Tensor, group: str, ranks: int, kind: str) -> Tensor:
    total = x.clone()
    dist.all_reduce(total, dist.ReduceOp.MAX if kind == "max" else dist.ReduceOp.SUM, group=_group(group))
    return total


def _sum_in_place(x: Tensor, group: str, ranks: int) -> None:
    x.copy_(_sum(x, group, ranks, "sum"))


def _scatter(x: Tensor, group: str, ranks: int) -> Tensor:
    """Sum and cut; gloo cannot do both at once everywhere."""
    return _sum(x, group, ranks, "sum").chunk(ranks)[dist.get_rank(_group(group))].clone()


def _swap(x: Tensor, group: str, ranks: int) -> Tensor:
    result = torch.empty_like(x)
    dist.all_to_all_single(result, x.contiguous(), group=_group(group))
    return result


def _peer(group: str, step: int) -> int:
    members = _group(group)
    return dist.get_global_rank(members, (dist.get_rank(members) + step) % members.size())


def _send(x: Tensor, group: str, step: int) -> None:
    dist.send(x.contiguous(), _peer(group, step), group=_group(group))


def _receive(anchor: Tensor, shape: list[int], dtype: torch.dtype, group: str, step: int) -> Tensor:
    result = anchor.new_empty(shape, dtype=dtype)
    dist.recv(result, _peer(group, step), group=_group(group))
    return result


def _whole_only(*_: object) -> None:
    """Sharded states are not computed with: what they hold is proven by their sizes."""
    raise NotImplementedError("states shared among copies exist in a dry run only")


define("all_gather(Tensor x, str group, int ranks) -> Tensor", _gather, _gather_shapes)
define("all_gather_(Tensor(a!) x, str group, int ranks) -> ()", _whole_only, nothing)
define(
    "reduce_scatter(Tensor x, str group, int ranks) -> Tensor",
    _scatter,
    lambda x, group, ranks: x.new_empty(-(-x.shape[0] // ranks), *x.shape[1:]),
)
define("reduce_scatter_(Tensor(a!) x, str group, int ranks) -> ()", _whole_only, nothing)
define(
    "all_reduce(Tensor x, str group, int ranks, str kind) -> Tensor",
    _sum,
    lambda x, *_: torch.empty_like(x),
)
define("all_reduce_(Tensor(a!) x, str group, int ranks) -> ()", _sum_in_place, nothing)
define("all_to_all(Tensor x, str group, int ranks) -> Tensor", _swap, lambda x, *_: torch.empty_like(x))
define("send(Tensor x, str group, int step) -> ()", _send, nothing)
define(
    "receive(Tensor anchor, int[] shape, ScalarType dtype, str group, int step) -> Tensor",
    _receive,
    lambda anchor, shape, dtype, *_: anchor.new_empty(shape, dtype=dtype),
)
