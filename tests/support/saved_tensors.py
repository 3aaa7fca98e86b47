"""What autograd keeps of a forward pass of a real model of `transformers`, to hold accounts against."""

from contextlib import nullcontext
from typing import Literal

import torch
from transformers import AutoConfig, AutoModelForCausalLM

from l3_modeltools.architectures import render_hf_config
from l3_modeltools.schemas import Architecture

ROWS, LENGTH = 2, 80


def kept_bytes(
    architecture: Architecture, mixing: Literal["fp32", "autocast", "sharded"], *, masked: bool
) -> int:
    """What autograd keeps of one forward pass, copies of weights left aside; what the weights are does not matter."""
    fields = render_hf_config(architecture)
    config = AutoConfig.for_model(fields.pop("model_type"), **fields)
    with torch.device("meta"):
        model = AutoModelForCausalLM.from_config(
            config,
            attn_implementation="eager" if architecture.model_type == "bloom" else "sdpa",
            dtype=torch.bfloat16 if mixing == "sharded" else torch.float32,
        )
    model = model.to_empty(device="cpu").train()
    shapes = {shape for one in model.parameters() for shape in (tuple(one.shape), tuple(one.shape[::-1]))}
    kept: dict[int, torch.Tensor] = {}

    def keep(tensor: torch.Tensor) -> torch.Tensor:
        if tuple(tensor.shape) not in shapes and tensor.numel() > LENGTH:
            kept[tensor.untyped_storage().data_ptr()] = tensor
        return tensor

    segments = torch.arange(LENGTH).div(16, rounding_mode="floor").expand(ROWS, LENGTH)
    mask = (segments.unsqueeze(1) == segments.unsqueeze(2)).tril().unsqueeze(1)
    autocast = torch.autocast("cpu", torch.bfloat16) if mixing == "autocast" else nullcontext()
    with torch.autograd.graph.saved_tensors_hooks(keep, lambda tensor: tensor), autocast:
        ids = torch.zeros(ROWS, LENGTH, dtype=torch.long)
        output = model(input_ids=ids, use_cache=False, **({"attention_mask": mask} if masked else {}))
    del output
    return sum(tensor.untyped_storage().nbytes() for tensor in kept.values())
