"""Normalisation over the last dimension: rms_norm, and layer_norm where the values are centred first."""

import torch
from torch import Tensor

from l3_modeltools.training.dryrun.kernels.define import define

__all__: list[str] = []


def _normal_form(x: Tensor, epsilon: float, centred: bool) -> tuple[Tensor, Tensor]:
    x = x.float()
    if centred:
        x = x - x.mean(-1, keepdim=True)
    scale = (x.square().mean(-1, keepdim=True) + epsilon).rsqrt()
    return x * scale, scale


def _normalise(
    x: Tensor, weight: Tensor, bias: Tensor | None, epsilon: float, centred: bool, dtype: torch.dtype
) -> tuple[Tensor, Tensor]:
    form, scale = _normal_form(x, epsilon, centred)
    result = form * weight.float()
    return (result if bias is None else result + bias.float()).to(dtype), scale.squeeze(-1)


def _normalise_backward(
    gradient: Tensor, x: Tensor, weight: Tensor, epsilon: float, centred: bool
) -> tuple[Tensor, Tensor, Tensor]:
    form, scale = _normal_form(x, epsilon, centred)
    outer = gradient.float()
    inner = outer * weight.float()
    along = inner - form * (inner * form).mean(-1, keepdim=True)
    if centred:
        along = along - inner.mean(-1, keepdim=True)
    rows = tuple(range(x.ndim - 1))
    return (
        (along * scale).to(x.dtype),
        (outer * form).sum(rows).to(weight.dtype),
        outer.sum(rows).to(weight.dtype),
    )


define(
    "normalise(Tensor x, Tensor weight, Tensor? bias, float epsilon, bool centred, ScalarType dtype)"
    " -> (Tensor, Tensor)",
    _normalise,
    lambda x, weight, bias, epsilon, centred, dtype: (
        x.new_empty(x.shape, dtype=dtype),
        x.new_empty(x.shape[:-1], dtype=torch.float32),
    ),
)
define(
    "normalise_backward(Tensor gradient, Tensor x, Tensor weight, float epsilon, bool centred)"
    " -> (Tensor, Tensor, Tensor)",
    _normalise_backward,
    lambda gradient, x, weight, *_: (
        torch.empty_like(x),
        torch.empty_like(weight),
        torch.empty_like(weight),
    ),
)
