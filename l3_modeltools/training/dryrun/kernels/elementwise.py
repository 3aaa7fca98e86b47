"""An activation function times a gate, (tokens, width), weighted by token or not; rotations of heads.

Rotations take x (s, b, h, d) and cosines and sines (s, d); the first half of a head turns with the second.
"""

from typing import cast

import torch
from torch import Tensor
from torch.nn import functional

from l3_modeltools.training.dryrun.kernels.define import define

__all__: list[str] = []


def _function(x: Tensor, kind: str) -> Tensor:
    if kind == "silu":
        return functional.silu(x)
    if kind == "relu":
        return functional.relu(x)
    return functional.gelu(x, approximate="tanh" if kind == "gelu_new" else "none")


def _function_backward(gradient: Tensor, x: Tensor, kind: str) -> Tensor:
    if kind == "silu":
        return cast(Tensor, torch.ops.aten.silu_backward(gradient, x))
    if kind == "relu":
        return gradient * (x > 0)
    approximate = "tanh" if kind == "gelu_new" else "none"
    return cast(Tensor, torch.ops.aten.gelu_backward(gradient, x, approximate=approximate))


def _activate(x: Tensor, gate: Tensor | None, weights: Tensor | None, kind: str) -> Tensor:
    result = _function(x, kind) if gate is None else _function(x, kind) * gate
    return result if weights is None else result * weights.unsqueeze(-1).to(x.dtype)


def _activate_backward(
    gradient: Tensor, x: Tensor, gate: Tensor | None, weights: Tensor | None, kind: str
) -> tuple[Tensor, Tensor, Tensor]:
    unweighted = _activate(x, gate, None, kind)
    of_weights = (gradient * unweighted).sum(-1)
    inner = gradient if weights is None else gradient * weights.unsqueeze(-1).to(x.dtype)
    if gate is None:
        return _function_backward(inner, x, kind), x.new_empty(0), of_weights
    return _function_backward(inner * gate, x, kind), inner * _function(x, kind), of_weights


def _activate_backward_shapes(
    _: Tensor, x: Tensor, gate: Tensor | None, weights: Tensor | None, __: str
) -> tuple[Tensor, Tensor, Tensor]:
    of_weights = x.new_empty(x.shape[:-1] if weights is not None else (0,))
    return torch.empty_like(x), x.new_empty(x.shape if gate is not None else (0,)), of_weights


define(
    "activate(Tensor x, Tensor? gate, Tensor? weights, str kind) -> Tensor",
    _activate,
    lambda x, *_: torch.empty_like(x),
)
define(
    "activate_backward(Tensor gradient, Tensor x, Tensor? gate, Tensor? weights, str kind) -> (Tensor, Tensor, Tensor)",
    _activate_backward,
    _activate_backward_shapes,
)


# Rotations: x (s, b, h, d), cosines and sines (s, d); the first half of a head turns with the second.


def _rotate(x: Tensor, cosines: Tensor, sines: Tensor, back: bool) -> Tensor:
    first, second = x.float().chunk(2, -1)
    turned = torch.cat((-second, first), -1)
    sines = -sines if back else sines
    return (x * cosines[:, None, None] + turned * sines[:, None, None]).to(x.dtype)


define(
    "rotate(Tensor x, Tensor cosines, Tensor sines, bool back) -> Tensor",
    _rotate,
    lambda x, *_: torch.empty_like(x),
)
