"""Finds where in a step the first number arises that is not finite."""

from collections.abc import Iterator, Sequence
from contextlib import AbstractContextManager, ExitStack, contextmanager, nullcontext
from dataclasses import dataclass
from functools import partial

import torch
from torch import nn
from torch.nn.parallel import DistributedDataParallel

from l3_modeltools.data import Batch, PairBatch
from l3_modeltools.training.objectives import Objective
from l3_modeltools.training.parallel import ParallelModel

__all__ = ["Origin", "locate"]


@dataclass(frozen=True, kw_only=True, slots=True)
class Origin:
    """Where a rank met its first number that is not finite: in which micro batch, counted from 0, in which tensor."""

    micro_batch: int
    place: str


class Watch:
    """Notes the first tensor that is not finite."""

    def __init__(self) -> None:
        self.place = ""

    def see(self, place: str, value: object) -> None:
        """Look at what a module gave, or at a gradient."""
        with torch.no_grad():  # or looking would save tensors, which recomputed layers count
            if not self.place and not all(one.isfinite().all() for one in _tensors(value)):
                self.place = place

    def leave(self, name: str, module: nn.Module, inputs: object, output: object) -> None:
        """Look at the output of a module, and at its gradient as soon as there is one."""
        self.see(f"the output of `{name}`", output)
        for tensor in _tensors(output):
            if tensor.requires_grad:
                tensor.register_hook(  # type: ignore[no-untyped-call]
                    partial(self.see, f"the gradient of the output of `{name}`")
                )


def locate(model: ParallelModel, objective: Objective, batches: Sequence[Batch | PairBatch]) -> Origin | None:
    """Compute a step again without its update and look at every tensor on the way; None: this rank finds all finite.

    Every rank has to call it, since weights may be sharded; each looks at its own numbers, before the exchange. The
    gradients are rubbish afterwards. What is compiled runs as written meanwhile.
    """
    found: Origin | None = None
    with torch.compiler.set_stance("force_eager"):
        for index, batch in enumerate(batches):
            last = index == len(batches) - 1
            watch = Watch()
            with _alone(model), model.micro_batch(last=last), _watched(model.inner, watch):
                with model.arithmetic():
                    loss = objective.loss(model.outer, batch)
                watch.see("the loss", loss.sum)
                loss.sum.backward()  # type: ignore[no-untyped-call]
            if not model.is_sharded:  # there gradients are exchanged already
                for name, weight in model.inner.named_parameters():
                    watch.see(f"the gradient of `{name}`", weight.grad)
            if watch.place and found is None:
                found = Origin(micro_batch=index, place=watch.place)
    return found


@contextmanager
def _watched(model: nn.Module, watch: Watch) -> Iterator[None]:
    with ExitStack() as stack:
        for name, module in model.named_modules():
            if name:
                handle = module.register_forward_hook(partial(watch.leave, name))
                stack.callback(handle.remove)
        yield


def _alone(model: ParallelModel) -> AbstractContextManager[None]:
    """Keep copies from exchanging gradients, which would bring the trouble of one rank to all."""
    return model.outer.no_sync() if isinstance(model.outer, DistributedDataParallel) else nullcontext()


def _tensors(value: object) -> Iterator[torch.Tensor]:
    """Yield the tensors of floating point of what a module gives."""
    if isinstance(value, torch.Tensor):
        if value.is_floating_point():
            yield value
    elif isinstance(value, dict):
        yield from (one for part in value.values() for one in _tensors(part))
    elif isinstance(value, tuple | list):
        yield from (one for part in value for one in _tensors(part))
