"""Predict the next token: all of a text, or the answers of a chat, as the labels say."""

from torch import nn

from l3_modeltools.data import IGNORED, Batch, PairBatch
from l3_modeltools.training.objectives.forward import losses_of
from l3_modeltools.training.objectives.objective import Loss

__all__ = ["NextToken"]


class NextToken:
    """Cross-entropy of every label that is not ignored: pre-training, and fine-tuning on answers."""

    reference: nn.Module | None = None

    def count(self, batch: Batch | PairBatch) -> int:
        """Say how many labels count."""
        return int((_single(batch).labels != IGNORED).sum())

    def loss(self, model: nn.Module, batch: Batch | PairBatch) -> Loss:
        """Sum the cross-entropy over the labels that count."""
        return Loss(sum=losses_of(model, _single(batch)).sum(), count=self.count(batch))


def _single(batch: Batch | PairBatch) -> Batch:
    if isinstance(batch, PairBatch):
        raise TypeError("a batch of pairs, for an objective over tokens")
    return batch
