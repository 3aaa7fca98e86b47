"""Sums of gradients that a product adds to, and Adam: both change what they are given."""

from torch import Tensor

from l3_modeltools.training.dryrun.kernels.define import define, nothing

__all__: list[str] = []


def _accumulate(total: Tensor, gradient: Tensor, operand: Tensor) -> None:
    total += gradient.mT.float() @ operand.float()


def _adamw(values: Tensor, gradient: Tensor, mean: Tensor, square: Tensor, rate: float, decay: float) -> None:
    """One step of AdamW (arXiv:1711.05101) with betas of 0.9 and 0.95, not corrected for the first steps."""
    mean.mul_(0.9).add_(gradient, alpha=0.1)
    square.mul_(0.95).addcmul_(gradient, gradient, value=0.05)
    values.mul_(1 - rate * decay).addcdiv_(
        mean.to(values.dtype), square.sqrt().add(1e-8).to(values.dtype), value=-rate
    )


define("accumulate_(Tensor(a!) total, Tensor gradient, Tensor operand) -> ()", _accumulate, nothing)
define(
    "adamw_(Tensor(a!) values, Tensor gradient, Tensor(b!) mean, Tensor(c!) square, float rate, float decay) -> ()",
    _adamw,
    nothing,
)
