"""Direct preference optimisation: raise the chosen answer's probability over the rejected one's."""

import copy
from collections.abc import Iterator
from contextlib import contextmanager

import torch
from peft import PeftModel
from torch import Tensor, nn
from torch.nn.functional import logsigmoid

from l3_modeltools.data import Batch, PairBatch
from l3_modeltools.training.objectives.forward import losses_of
from l3_modeltools.training.objectives.objective import Loss

__all__ = ["Preference"]


class Preference:
    """DPO's loss (arXiv:2305.18290, equation 7), summed over pairs.

    The reference is the model as given: one with an adapter is asked without it, any other is copied, so give it
    on its device and before its weights change.
    """

    def __init__(self, model: nn.Module, *, beta: float) -> None:
        self.beta = beta
        self.adapted = model if isinstance(model, PeftModel) else None
        self.reference = None if self.adapted else copy.deepcopy(model).requires_grad_(False).eval()

    def count(self, batch: Batch | PairBatch) -> int:
        """Say how many pairs there are."""
        return len(_pairs(batch).chosen.labels)

    def loss(self, model: nn.Module, batch: Batch | PairBatch) -> Loss:
        """Sum −ln σ(β · (Δ chosen − Δ rejected)) over pairs, Δ the gain in log-probability over the reference."""
        both = _stacked(_pairs(batch))
        with self._first_weights() as reference:
            before = losses_of(reference, both).sum(-1)
        gain_chosen, gain_rejected = (before - losses_of(model, both).sum(-1)).chunk(2)
        return Loss(sum=-logsigmoid(self.beta * (gain_chosen - gain_rejected)).sum(), count=self.count(batch))

    @contextmanager
    def _first_weights(self) -> Iterator[nn.Module]:
        with torch.no_grad():
            if self.reference is not None:
                yield self.reference
            elif self.adapted is not None:
                with _without_adapter(self.adapted):
                    yield self.adapted


@contextmanager
def _without_adapter(model: PeftModel) -> Iterator[None]:
    """Evaluate without the adapter.

    Its parameters go on asking for gradients, which peft would stop: FSDP looks at that in its first pass, and would
    take the adapter for frozen from then on.
    """
    training, trained = model.training, [one for one in model.parameters() if one.requires_grad]
    with model.eval().disable_adapter():
        for parameter in trained:
            parameter.requires_grad_(True)
        yield
    model.train(training)


def _pairs(batch: Batch | PairBatch) -> PairBatch:
    if not isinstance(batch, PairBatch):
        raise TypeError("a batch without pairs, for an objective over preferences")
    return batch


def _stacked(pairs: PairBatch) -> Batch:
    """Put the rejected rows below the chosen ones: one forward pass for both, as DDP wants."""
    upper, lower = pairs.chosen, pairs.rejected
    return Batch(
        input_ids=torch.cat((upper.input_ids, lower.input_ids)),
        labels=torch.cat((upper.labels, lower.labels)),
        position_ids=_below(upper.position_ids, lower.position_ids),
        segments=_below(upper.segments, lower.segments),
    )


def _below(upper: Tensor | None, lower: Tensor | None) -> Tensor | None:
    return None if upper is None or lower is None else torch.cat((upper, lower))
