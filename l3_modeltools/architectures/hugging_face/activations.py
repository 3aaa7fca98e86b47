"""The activation functions by the names that config.json gives them."""

from collections.abc import Mapping
from typing import Literal

__all__ = ["ACTIVATIONS", "Activation"]

Activation = Literal["silu", "gelu", "gelu_new", "relu"]

ACTIVATIONS: Mapping[str, Activation] = {
    "silu": "silu",
    "swish": "silu",
    "gelu": "gelu",
    "gelu_new": "gelu_new",
    "gelu_pytorch_tanh": "gelu_new",
    "relu": "relu",
}
"""Names that mean one of ours; `gelu_new` and `gelu_pytorch_tanh` are the same function."""
