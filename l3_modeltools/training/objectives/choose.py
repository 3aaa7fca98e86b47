"""The objective that a training asks for."""

from peft import PeftModel
from torch import nn
from transformers import BloomForCausalLM

from l0_infra.core.errors import UnsatisfiableError
from l3_modeltools.schemas import Dpo, Train
from l3_modeltools.training.objectives.objective import Objective
from l3_modeltools.training.objectives.preference import Preference
from l3_modeltools.training.objectives.tokens import NextToken

__all__ = ["objective_of"]


def objective_of(train: Train, model: nn.Module) -> Objective:
    """Make the objective of a training for `model`, on its device, unwrapped, and with its first weights still.

    Raises UnsatisfiableError where documents should be kept apart in a model whose attention cannot be told so.
    """
    inner = model.get_base_model() if isinstance(model, PeftModel) else model
    if train.data and train.data.respect_documents and isinstance(inner, BloomForCausalLM):
        raise UnsatisfiableError(
            "data.respect_documents",
            found="true, for a model of the family `bloom`",
            expected="false: in transformers its ALiBi takes no mask of documents",
        )
    match train.objective:
        case Dpo(beta=beta):
            return Preference(model, beta=beta)
        case _:
            return NextToken()
