"""Normalisations of the residual stream, of heads and of what latent attention compresses."""

from typing import cast

import torch
from torch import Tensor, nn
from torch.autograd.function import FunctionCtx
from torch.nn import functional

from l3_modeltools.training.dryrun.kernels import OPS
from l3_modeltools.training.dryrun.model.site import Site
from l3_modeltools.training.dryrun.model.weights import Weight

__all__ = ["Norm"]


class Norm(nn.Module):
    """rms_norm or layer_norm over the last dimension, as one kernel or as several; gives the products' format."""

    def __init__(self, site: Site, width: int) -> None:
        super().__init__()
        self.site = site
        self.epsilon = site.rank.architecture.norm_eps
        self.centred = site.rank.architecture.norm == "layer_norm"
        self.weight = Weight(width, whole=True)
        self.bias = Weight(width, whole=True) if self.centred else None

    def forward(self, x: Tensor) -> Tensor:
        """Normalise (…, width)."""
        bias = None if self.bias is None else self.bias.value
        if self.site.rank.practice.fused_elementwise:
            return cast(Tensor, _Normalise.apply(x, self.weight.value, bias, self))  # type: ignore[no-untyped-call]
        return self._layer_norm(x) if self.centred else self._rms_norm(x)

    def _rms_norm(self, x: Tensor) -> Tensor:
        """Kernel by kernel, in fp32 as Llama's models do."""
        wide = x.float()
        form = wide * torch.rsqrt(wide.square().mean(-1, keepdim=True) + self.epsilon)
        compute = self.site.rank.compute
        return self.weight.value.to(compute) * form.to(compute)

    def _layer_norm(self, x: Tensor) -> Tensor:
        weight: Tensor = self.weight.value
        bias: Tensor | None = None if self.bias is None else self.bias.value
        if weight.dtype != x.dtype:
            weight, bias = weight.to(x.dtype), None if bias is None else bias.to(x.dtype)
        result = functional.layer_norm(x, self.weight.shape, weight, bias, self.epsilon)
        return result.to(self.site.rank.compute)


class _Normalise(torch.autograd.Function):
    @staticmethod
    def forward(ctx: FunctionCtx, x: Tensor, weight: Tensor, bias: Tensor | None, norm: Norm) -> Tensor:
        result, scale = OPS.normalise(x, weight, bias, norm.epsilon, norm.centred, norm.site.rank.compute)
        ctx.norm = norm  # type: ignore[attr-defined]
        ctx.save_for_backward(x, weight, scale)
        return cast(Tensor, result)

    @staticmethod
    def backward(ctx: FunctionCtx, gradient: Tensor) -> tuple[Tensor | None, ...]:
        x, weight, _ = ctx.saved_tensors  # type: ignore[attr-defined]
        norm: Norm = ctx.norm  # type: ignore[attr-defined]
        along, of_weight, of_bias = OPS.normalise_backward(gradient, x, weight, norm.epsilon, norm.centred)
        return along, of_weight, of_bias if norm.centred else None, None
