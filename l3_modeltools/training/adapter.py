"""A low-rank adapter beside frozen weights, by peft."""

from peft import LoraConfig, PeftModel, TaskType, get_peft_model
from transformers import PreTrainedModel
from transformers.pytorch_utils import Conv1D

from l3_modeltools.schemas import Lora

__all__ = ["with_adapter"]


def with_adapter(model: PreTrainedModel, lora: Lora) -> PeftModel:
    """Wrap `model` with a new adapter drawn from the global random state; it changes nothing until it is trained."""
    transposed = any(isinstance(module, Conv1D) for module in model.modules())
    config = LoraConfig(
        r=lora.r,
        lora_alpha=lora.lora_alpha,
        target_modules=list(lora.target_modules) or None,
        task_type=TaskType.CAUSAL_LM,
        fan_in_fan_out=transposed,
    )
    adapted = get_peft_model(model, config)
    assert isinstance(adapted, PeftModel)
    return adapted
