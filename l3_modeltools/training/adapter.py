"""A low-rank adapter beside frozen weights, by peft."""

import warnings
from typing import cast

from peft import LoraConfig, PeftModel, TaskType, get_peft_model
from torch import nn
from transformers import PreTrainedModel
from transformers.pytorch_utils import Conv1D

from l0_infra.core.errors import UnsatisfiableError
from l3_modeltools.schemas import Lora

__all__ = ["with_adapter"]


def with_adapter(model: PreTrainedModel, lora: Lora) -> PeftModel:
    """Wrap `model` with a new adapter drawn from the global random state; it changes nothing until it is trained.

    Raises UnsatisfiableError for `target_modules` that the model has not, or that peft does not know for its family.
    """
    config = LoraConfig(
        r=lora.r,
        lora_alpha=lora.lora_alpha,
        target_modules=list(lora.target_modules) or None,
        task_type=TaskType.CAUSAL_LM,
        fan_in_fan_out=any(isinstance(module, Conv1D) for module in model.modules()),
    )
    with (
        warnings.catch_warnings()
    ):  # peft asks transformers by a name that it will no longer have in version 6
        warnings.filterwarnings("ignore", "`is_gradient_checkpointing` is deprecated", FutureWarning)
        try:
            return cast(PeftModel, get_peft_model(model, config))
        except ValueError as error:
            raise _no_place(model, lora) from error


def _no_place(model: PreTrainedModel, lora: Lora) -> UnsatisfiableError:
    linear = (name for name, module in model.named_modules() if isinstance(module, nn.Linear | Conv1D))
    known = sorted({name.rsplit(".", 1)[-1] for name in linear})
    return UnsatisfiableError(
        "model.lora.target_modules",
        found=", ".join(lora.target_modules) or "none",
        expected=f"some of this model's linear layers: {', '.join(known)}",
    )
