"""Looks on at every operator that runs: notes the storages it makes, counts it, its arithmetic and its messages."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import cache
from typing import cast

import torch
from torch import Tensor
from torch.utils._python_dispatch import TorchDispatchMode
from torch.utils.flop_counter import flop_registry

from l3_modeltools.training.dryrun.kernels import MESSAGES, SPACE, flops_of
from l3_modeltools.training.dryrun.record.ledger import Ledger
from l3_modeltools.training.dryrun.record.tally import Route, Tally

__all__ = ["Watch"]

ITEM = torch.ops.aten._local_scalar_dense.default
"""What asks for a number, of which there is none where nothing is computed."""


OF_FAKES = frozenset((("aten", "detach"), ("prim", "device")))
"""Operators that do nothing, and which fake tensors call for their own sake."""


class Watch(TorchDispatchMode):  # type: ignore[no-untyped-call]
    """Sees operators of fake tensors and of real ones; `tally` may be exchanged at any time.

    Where it `answers`, 1 or True stands for every number that is asked for.
    """

    def __init__(self, ledger: Ledger, *, answers: bool = False) -> None:
        super().__init__()  # type: ignore[no-untyped-call]
        self.ledger = ledger
        self.answers = answers
        self.tally = Tally()

    def __torch_dispatch__(
        self,
        func: torch._ops.OpOverload,
        types: Sequence[type],
        args: tuple[object, ...] = (),
        kwargs: Mapping[str, object] | None = None,
    ) -> object:
        if self.answers and func is ITEM:
            return _one(args[0])
        result = func(*args, **(kwargs or {}))
        for tensor in _tensors(result):
            self.ledger.see(tensor)
        self._count(func, args, kwargs or {}, result)
        return result

    def _count(
        self,
        func: torch._ops.OpOverload,
        args: tuple[object, ...],
        kwargs: Mapping[str, object],
        result: object,
    ) -> None:
        space, _, name = func._schema.name.partition("::")
        if (space, name) in OF_FAKES:
            return
        self.tally.operators[name if space == "aten" else func._schema.name] += 1
        if space == SPACE:
            self.tally.flops += flops_of(name, args)
            if name in MESSAGES:
                self._exchange(name, args, result)
        elif (count := _arithmetic(func)) is not None:
            self.tally.flops += count(*args, **kwargs, out_val=result)

    def _exchange(self, name: str, args: tuple[object, ...], result: object) -> None:
        message = result if isinstance(result, Tensor) and name in ("all_gather", "receive") else args[0]
        if isinstance(message, Tensor):
            group, ranks = next(one for one in args if isinstance(one, str)), 2
            if MESSAGES[name] not in ("send", "receive"):
                ranks = cast(int, args[2])
            self.tally.exchange(Route(MESSAGES[name], group, ranks), message.nbytes)


@cache
def _arithmetic(func: torch._ops.OpOverload) -> Callable[..., int] | None:
    """What torch counts of an operator, or of the one that it is in place."""
    name = func._schema.name.partition("::")[2].rstrip("_")
    found = flop_registry.get(func.overloadpacket) or flop_registry.get(getattr(torch.ops.aten, name, None))
    return cast("Callable[..., int] | None", found)


def _one(asked: object) -> float | int | bool:
    dtype = asked.dtype if isinstance(asked, Tensor) else torch.float32
    if dtype is torch.bool:
        return True
    return 1.0 if dtype.is_floating_point else 1


def _tensors(result: object) -> Iterator[Tensor]:
    if isinstance(result, Tensor):
        yield result
    elif isinstance(result, tuple | list):
        for one in result:
            yield from _tensors(one)
