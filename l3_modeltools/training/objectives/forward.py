"""One pass of a causal language model over a batch, with as little beside the arithmetic as transformers allows."""

import torch
from torch import Tensor, nn

from l3_modeltools.data import IGNORED, Batch, document_mask
from l3_modeltools.training.objectives.cross_entropy import token_losses

__all__ = ["losses_of"]


def losses_of(model: nn.Module, batch: Batch) -> Tensor:
    """Return −ln p of the labels in fp32 on the model's device, (rows, at most length), 0 where one is ignored.

    Positions that count in no row get no logits.
    """
    counted = (batch.labels != IGNORED).any(0)
    kept = None if counted.all() else counted.nonzero().squeeze(-1)
    labels = batch.labels if kept is None else batch.labels[:, kept]
    device = next(model.parameters()).device
    logits: Tensor = model(**_inputs(batch, kept, device), use_cache=False).logits
    return token_losses(logits, labels.to(device, non_blocking=True))


def _inputs(batch: Batch, kept: Tensor | None, device: torch.device) -> dict[str, Tensor]:
    """Name what there is as transformers does; a mask is made where documents must not see each other alone."""
    named = {"input_ids": batch.input_ids, "position_ids": batch.position_ids, "logits_to_keep": kept}
    inputs = {name: value.to(device, non_blocking=True) for name, value in named.items() if value is not None}
    if batch.segments is not None:
        inputs["attention_mask"] = document_mask(batch.segments.to(device, non_blocking=True))
    return inputs
