"""How a model is spread over the ranks: copies that share gradients (DDP), or weights sharded by layer (FSDP2)."""

import warnings
from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext
from dataclasses import dataclass
from functools import partial
from typing import Literal

import torch
from torch import nn
from torch.distributed.device_mesh import init_device_mesh
from torch.distributed.fsdp import FSDPModule, MixedPrecisionPolicy, fully_shard
from torch.distributed.tensor import DTensor
from torch.nn.parallel import DistributedDataParallel
from torch.utils.checkpoint import checkpoint

from l3_modeltools.schemas import Compute, Recompute, Strategy
from l3_modeltools.training.world import World

__all__ = ["ParallelModel", "decoder_layers", "spread", "spread_frozen"]


@dataclass(frozen=True, kw_only=True, slots=True)
class ParallelModel:
    """A model spread over ranks. `inner` bears the parameters' own names; `outer` is what is called to train."""

    inner: nn.Module
    outer: nn.Module
    precision: Literal["bf16", "fp32"]
    zero_stage: int
    device: torch.device

    @property
    def is_sharded(self) -> bool:
        """Whether a rank holds only its part of weights and gradients."""
        return isinstance(self.inner, FSDPModule)

    def arithmetic(self) -> AbstractContextManager[object]:
        """Return the context in which products are computed; FSDP brings its own precision."""
        if self.is_sharded or self.precision == "fp32":
            return nullcontext()
        return torch.autocast(self.device.type, torch.bfloat16)

    @contextmanager
    def micro_batch(self, *, last: bool) -> Iterator[None]:
        """Enter a micro batch: gradients are exchanged in the last one, with ZeRO 2 and 3 in each, to stay sharded."""
        if isinstance(self.outer, DistributedDataParallel) and not last:
            with self.outer.no_sync():
                yield
            return
        if isinstance(self.inner, FSDPModule):
            self.inner.set_requires_gradient_sync(last or self.zero_stage >= 2)
            self.inner.set_is_last_backward(last)
            self.inner.set_reshard_after_backward(last or self.zero_stage == 3)
        yield

    def gradients(self) -> list[torch.Tensor]:
        """Return what this rank holds of the gradients."""
        found = (parameter.grad for parameter in self.inner.parameters())
        return [grad.to_local() if isinstance(grad, DTensor) else grad for grad in found if grad is not None]


def spread(model: nn.Module, *, world: World, strategy: Strategy, compute: Compute) -> ParallelModel:
    """Spread `model`, the same on every rank, over the ranks as `strategy` says; one rank alone needs neither way."""
    _recompute(model, strategy.recompute)
    if compute.compile:
        for layer in decoder_layers(model):
            layer.compile()
    outer = model
    if world.size == 1:
        _move(model, world.device)
    elif strategy.zero_stage:
        _shard(model, world=world, strategy=strategy, compute=compute)
    else:
        outer = _replicate(model.to(world.device), world)
    return ParallelModel(
        inner=model,
        outer=outer,
        precision=compute.precision,
        zero_stage=strategy.zero_stage,
        device=world.device,
    )


def spread_frozen(model: nn.Module, *, world: World, strategy: Strategy, compute: Compute) -> None:
    """Shard a model that learns nothing where the one it stands beside is sharded, so that both compute alike."""
    if world.size > 1 and strategy.zero_stage:
        _shard(model, world=world, strategy=strategy, compute=compute)


def decoder_layers(model: nn.Module) -> list[nn.Module]:
    """Return the layers of a decoder: the entries of its outermost list of modules."""
    lists = (module for module in model.modules() if isinstance(module, nn.ModuleList))
    return list(next(lists, ()))


def _move(model: nn.Module, device: torch.device) -> None:
    """Put a model on a device; one that is there is left alone, for fake tensors cannot be moved."""
    if any(parameter.device != device for parameter in model.parameters()):
        model.to(device)


def _replicate(model: nn.Module, world: World) -> nn.Module:
    devices = None if world.device.type == "cpu" else [world.device]
    with warnings.catch_warnings():  # newer versions of torch call `broadcast_buffers` by another name
        warnings.simplefilter("ignore", FutureWarning)
        return DistributedDataParallel(
            model, device_ids=devices, broadcast_buffers=False, gradient_as_bucket_view=True
        )


def _shard(model: nn.Module, *, world: World, strategy: Strategy, compute: Compute) -> None:
    mesh = init_device_mesh(world.device.type, (world.size,))
    low = torch.bfloat16 if compute.precision == "bf16" else None
    policy = MixedPrecisionPolicy(param_dtype=low, reduce_dtype=torch.float32)
    for module in (*decoder_layers(model), model):
        fully_shard(module, mesh=mesh, reshard_after_forward=strategy.zero_stage == 3, mp_policy=policy)


def _recompute(model: nn.Module, recompute: Recompute) -> None:
    """Let whole layers compute their activations again.

    `selective` asks for no more than the fused attention does anyway: it never keeps the scores.
    """
    if recompute.mode != "full":
        return
    layers = decoder_layers(model)
    wanted = recompute.layers[0][0] if recompute.layers else len(layers)
    for layer in layers[:wanted]:
        layer.forward = partial(checkpoint, layer.forward, use_reentrant=False)
