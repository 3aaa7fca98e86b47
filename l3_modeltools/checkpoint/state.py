"""What of a training is saved: its weights as they are trained, and its optimizer's state, under the model's names."""

from typing import cast

from torch import nn
from torch.distributed.checkpoint.state_dict import (
    OptimizerStateType,
    StateDictOptions,
    ValueType,
    get_state_dict,
    set_state_dict,
)
from torch.optim import Optimizer

__all__ = ["restore_state", "training_state"]


def training_state(model: nn.Module, optimizer: Optimizer) -> dict[str, object]:
    """Return `{"model": …, "optimizer": …}` that refers to the tensors themselves, sharded ones as they are.

    Frozen parameters are left out: they come from where the model came from. An optimizer that made no step gets
    its state, all zero, so that it can be loaded into.
    """
    weights, state = get_state_dict(model, optimizer, options=_options(model))
    return {"model": weights, "optimizer": state}


def restore_state(model: nn.Module, optimizer: Optimizer, state: dict[str, object]) -> None:
    """Give a state that `training_state` made, and that was loaded into since, back to its owners."""
    weights = cast("dict[str, ValueType]", state["model"])
    moments = cast("OptimizerStateType", state["optimizer"])
    set_state_dict(
        model, optimizer, model_state_dict=weights, optim_state_dict=moments, options=_options(model)
    )


def _options(model: nn.Module) -> StateDictOptions:
    frozen = not all(parameter.requires_grad for parameter in model.parameters())
    return StateDictOptions(ignore_frozen_params=frozen, strict=not frozen)
