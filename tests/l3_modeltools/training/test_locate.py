"""The first number that is not finite is found where it arises: in a module, in the loss, on the way back."""

from collections.abc import Sequence

import pytest
import torch
from torch import nn

from l3_modeltools.data import Batch
from l3_modeltools.schemas import Compute, Recompute, Strategy
from l3_modeltools.training import build_model
from l3_modeltools.training.locate import Origin, locate
from l3_modeltools.training.objectives import Loss, Objective, objective_of
from l3_modeltools.training.parallel import ParallelModel, spread
from l3_modeltools.training.world import World
from tests.support.tiny_models import LLAMA, training

ALONE = World(rank=0, size=1, device=torch.device("cpu"))


class Poison(torch.autograd.Function):
    """Leaves a tensor as it is and makes its gradient NaN."""

    @staticmethod
    def forward(context: object, tensor: torch.Tensor) -> torch.Tensor:
        return tensor.clone()

    @staticmethod
    def backward(context: object, *gradients: torch.Tensor) -> torch.Tensor:
        return gradients[0] * float("nan")


class Spoilt:
    """An objective whose sum is multiplied."""

    reference: nn.Module | None = None

    def __init__(self, objective: Objective, factor: float) -> None:
        self.objective, self.factor = objective, factor

    def count(self, batch: object) -> int:
        return 1

    def loss(self, model: nn.Module, batch: Batch) -> Loss:
        loss = self.objective.loss(model, batch)
        return Loss(sum=loss.sum * self.factor, count=loss.count)


def made(recompute: Recompute | None = None) -> tuple[ParallelModel, Objective]:
    train = training(LLAMA)
    model = build_model(train, LLAMA, seed=0)
    objective = objective_of(train, model)
    strategy = Strategy(recompute=recompute or Recompute())
    return spread(model, world=ALONE, strategy=strategy, compute=Compute(precision="fp32")), objective


def batches(count: int = 2) -> Sequence[Batch]:
    tokens = torch.randint(0, LLAMA.vocab_size, (count, 17), generator=torch.Generator().manual_seed(1))
    return [Batch(input_ids=row[None, :-1], labels=row[None, 1:]) for row in tokens]


def test_where_all_is_finite_nothing_is_found() -> None:
    model, objective = made()
    assert locate(model, objective, batches()) is None


@pytest.mark.parametrize("recompute", [Recompute(), Recompute(mode="full")])
def test_a_weight_that_is_spoilt_is_found_where_it_is_used(recompute: Recompute) -> None:
    model, objective = made(recompute)
    with torch.no_grad():
        model.inner.get_submodule("model.layers.1.mlp.up_proj").weight[0, 0] = float("inf")
    place = "the output of `model.layers.1.mlp.up_proj`"
    assert locate(model, objective, batches()) == Origin(micro_batch=0, place=place)


def test_a_loss_that_is_spoilt_by_itself_is_said_to_be() -> None:
    model, objective = made()
    found = locate(model, Spoilt(objective, float("nan")), batches())  # type: ignore[arg-type]
    assert found == Origin(micro_batch=0, place="the loss")


def test_only_a_micro_batch_is_spoilt() -> None:
    model, objective = made()
    calls = iter(range(2))

    def spoil(module: nn.Module, inputs: object, output: torch.Tensor) -> torch.Tensor:
        return output * (float("nan") if next(calls) == 1 else 1.0)

    model.inner.get_submodule("model.norm").register_forward_hook(spoil)
    found = locate(model, objective, batches())
    assert found == Origin(micro_batch=1, place="the output of `model.norm`")


def test_a_gradient_is_found_on_its_way_back() -> None:
    model, objective = made()

    def poison(module: nn.Module, inputs: object, output: torch.Tensor) -> torch.Tensor:
        poisoned: torch.Tensor = Poison.apply(output)  # type: ignore[no-untyped-call]
        return poisoned

    model.inner.get_submodule("model.layers.1").register_forward_hook(poison)
    found = locate(model, objective, batches())
    assert found is not None and found.place.startswith("the gradient of the output of `model.layers.1")


def test_no_hook_stays() -> None:
    model, objective = made()
    locate(model, objective, batches())
    assert not any(module._forward_hooks for module in model.inner.modules())
