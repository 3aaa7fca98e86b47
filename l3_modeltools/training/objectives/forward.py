"""One pass of a causal language model over a batch, with as little beside the arithmetic as transformers allows."""

from torch import Tensor, nn

from l3_modeltools.data import Batch
from l3_modeltools.training.objectives.cross_entropy import token_losses

__all__ = ["losses_of", "visible"]


def losses_of(model: nn.Module, batch: Batch) -> Tensor:
    """Return −ln p of each label, (rows, length) in fp32 on the model's device, 0 where a label is ignored."""
    device = next(model.parameters()).device
    inputs = {"input_ids": batch.input_ids.to(device, non_blocking=True)}
    if batch.position_ids is not None:
        inputs["position_ids"] = batch.position_ids.to(device, non_blocking=True)
    if batch.segments is not None:
        inputs["attention_mask"] = visible(batch.segments.to(device, non_blocking=True))
    logits = model(**inputs, use_cache=False).logits
    return token_losses(logits, batch.labels.to(device, non_blocking=True))


def visible(segments: Tensor) -> Tensor:
    """Say which tokens see which: those before them in their own segment, and themselves.

    segments: (rows, length), equal within a document; returns bool (rows, 1, length, length), as queries by keys.
    """
    same = segments.unsqueeze(1) == segments.unsqueeze(2)
    return same.tril().unsqueeze(1)
