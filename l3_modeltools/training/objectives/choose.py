"""The objective that a training asks for."""

from torch import nn

from l3_modeltools.training.batches import Batch, PairBatch
from l3_modeltools.schemas import Dpo, Train
from l3_modeltools.training.objectives.objective import Objective
from l3_modeltools.training.objectives.preference import Preference
from l3_modeltools.training.objectives.tokens import NextToken

__all__ = ["objective_of"]


def objective_of(train: Train, model: nn.Module) -> Objective[Batch | PairBatch]:
    """Make the objective of a training for `model`, on its device, unwrapped, and with its first weights still."""
    match train.objective:
        case Dpo(beta=beta):
            return Preference(model, beta=beta)
        case _:
            return NextToken()
