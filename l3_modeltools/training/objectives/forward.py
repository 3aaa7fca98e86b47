"""One pass of a causal language model over a batch, with as little beside the arithmetic as transformers allows."""

from torch import Tensor, nn

from l3_modeltools.training.batches import Batch
from l3_modeltools.training.objectives.cross_entropy import IGNORED, token_losses

__all__ = ["losses_of", "visible"]


def losses_of(model: nn.Module, batch: Batch) -> Tensor:
    """Return −ln p of the labels in fp32 on the model's device, (rows, at most length), 0 where one is ignored.

    Positions that count in no row get no logits.
    """
    device = next(model.parameters()).device
    inputs, labels = {"input_ids": batch.input_ids}, batch.labels
    if batch.position_ids is not None:
        inputs["position_ids"] = batch.position_ids
    counted = (labels != IGNORED).any(0)
    if not counted.all():
        inputs["logits_to_keep"] = counted.nonzero().squeeze(-1)
        labels = labels[:, counted]
    moved = {name: value.to(device, non_blocking=True) for name, value in inputs.items()}
    if batch.segments is not None:
        moved["attention_mask"] = visible(batch.segments.to(device, non_blocking=True))
    logits: Tensor = model(**moved, use_cache=False).logits
    return token_losses(logits, labels.to(device, non_blocking=True))


def visible(segments: Tensor) -> Tensor:
    """Say which tokens see which: those before them in their own segment, and themselves.

    segments: (rows, length), equal within a document; returns bool (rows, 1, length, length), queries by keys.
    """
    same = segments.unsqueeze(1) == segments.unsqueeze(2)
    return same.tril().unsqueeze(1)
