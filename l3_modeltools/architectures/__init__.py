"""What models are made of: presets, their parameters and arithmetic, and Hugging Face's config.json both ways."""

from l3_modeltools.architectures import pieces
from l3_modeltools.architectures.flops import flops_per_token, matmul_parameters
from l3_modeltools.architectures.hugging_face import MODEL_TYPES, parse_hf_config, render_hf_config
from l3_modeltools.architectures.parameters import Parameters, count_parameters
from l3_modeltools.architectures.presets import PRESETS, preset

__all__ = [
    "MODEL_TYPES",
    "PRESETS",
    "Parameters",
    "count_parameters",
    "flops_per_token",
    "matmul_parameters",
    "parse_hf_config",
    "pieces",
    "preset",
    "render_hf_config",
]
