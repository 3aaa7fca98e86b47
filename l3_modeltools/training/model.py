"""The model of a training: a transformers class of the architecture's sizes, with its first weights."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import torch
from torch import nn
from transformers import AutoConfig, AutoModelForCausalLM, PretrainedConfig, PreTrainedModel

from l3_modeltools.architectures import render_hf_config
from l3_modeltools.schemas import Architecture, Train
from l3_modeltools.training.adapter import with_adapter
from l3_modeltools.training.weights import load_weights

__all__ = ["build_model", "config_of"]


def build_model(train: Train, architecture: Architecture, *, seed: int) -> nn.Module:
    """Build the causal language model on the CPU, all weights fp32, with its first weights.

    Random weights and a new adapter are a pure function of `seed`: the same on every rank of any world size; the
    global random state is left as it was. With `lora` the model comes wrapped by peft, and only the adapter asks
    for gradients. Raises UnsatisfiableError for an `init_from` of another model, UsageError for one without weights.
    """
    wish = train.model
    with _seeded(seed):
        if wish is None or wish.init_from is None:
            return _random_model(config_of(architecture))
        model = load_weights(Path(wish.init_from), config_of(architecture), architecture)
        return model if wish.lora is None else with_adapter(model, wish.lora)


def config_of(architecture: Architecture) -> PretrainedConfig:
    """Render an architecture as the configuration of its transformers class."""
    fields = render_hf_config(architecture)
    config: PretrainedConfig = AutoConfig.for_model(str(fields.pop("model_type")), **fields)
    return config


def _random_model(config: PretrainedConfig) -> PreTrainedModel:
    model: PreTrainedModel = AutoModelForCausalLM.from_config(  # type: ignore[no-untyped-call]
        config, dtype=torch.float32
    )
    return model


@contextmanager
def _seeded(seed: int) -> Iterator[None]:
    with torch.random.fork_rng(devices=[]):
        torch.default_generator.manual_seed(seed)
        yield
