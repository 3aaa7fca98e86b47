"""What spoils numbers: one NaN in the middle of a model's forward pass, and garbage in the place of a batch."""

import math
from dataclasses import replace

import torch
from torch import Tensor, nn

from l3_modeltools.data import IGNORED, Batch, PairBatch
from l3_modeltools.training.objectives import Loss, Objective

__all__ = ["garbage", "poisoned"]


def poisoned(objective: Objective, model: nn.Module, batch: Batch | PairBatch) -> Loss:
    """Return the loss with a NaN in the output of a linear layer in the middle of the model.

    A compiled model calls no hooks; there the loss itself is spoilt.
    """
    layers = [module for module in model.modules() if isinstance(module, nn.Linear)]
    handle = layers[len(layers) // 2].register_forward_hook(_spoil, prepend=True) if layers else None
    try:
        loss = objective.loss(model, batch)
    finally:
        if handle is not None:
            handle.remove()
    if not math.isfinite(loss.sum.item()):
        return loss
    return Loss(sum=loss.sum * math.nan, count=loss.count)


def garbage(batch: Batch | PairBatch, *, seed: int) -> Batch | PairBatch:
    """Return a batch of the same shape whose tokens are drawn at random; the same seed draws the same."""
    if isinstance(batch, PairBatch):
        return PairBatch(
            chosen=_garbage(batch.chosen, seed=seed), rejected=_garbage(batch.rejected, seed=seed + 1)
        )
    return _garbage(batch, seed=seed)


def _garbage(batch: Batch, *, seed: int) -> Batch:
    generator = torch.Generator().manual_seed(seed)
    highest = int(batch.input_ids.max())
    drawn = torch.randint(0, highest + 1, batch.input_ids.shape, generator=generator)
    labels = torch.randint(0, highest + 1, batch.labels.shape, generator=generator)
    return replace(batch, input_ids=drawn, labels=labels.masked_fill(batch.labels == IGNORED, IGNORED))


def _spoil(module: nn.Module, inputs: object, output: Tensor) -> Tensor:
    spoilt = output.clone()
    spoilt.view(-1)[0] = math.nan
    return spoilt
