"""AdamW over the parameters that ask for gradients; matrices decay, vectors (norms, biases) do not."""

from collections.abc import Iterable

from torch import nn
from torch.optim import AdamW

from l3_modeltools.schemas import Optimizer

__all__ = ["make_optimizer"]


def make_optimizer(wish: Optimizer, model: nn.Module) -> AdamW:
    """Make AdamW (arXiv:1711.05101) with one fused kernel; the loop sets the learning rate before each step."""
    wanted = [parameter for parameter in model.parameters() if parameter.requires_grad]
    groups = (
        _group((one for one in wanted if one.ndim >= 2), wish.weight_decay),
        _group((one for one in wanted if one.ndim < 2), 0.0),
    )
    return AdamW(
        [group for group in groups if group["params"]],
        lr=wish.learning_rate,
        betas=(wish.adam_beta1, wish.adam_beta2),
        fused=True,
    )


def _group(parameters: Iterable[nn.Parameter], decay: float) -> dict[str, object]:
    return {"params": list(parameters), "weight_decay": decay}
