"""What a training is made of comes back exactly: moments, steps, tied and frozen weights."""

from pathlib import Path

import pytest
import torch
from torch import nn

from l3_modeltools.checkpoint import Saver, Shelf, load_state, restore_state, training_state
from l3_modeltools.schemas import Checkpointing

A = "a" * 64


def a_model(seed: int, *, frozen: bool) -> nn.Module:
    torch.manual_seed(seed)
    model = nn.Sequential(nn.Linear(8, 8), nn.Linear(8, 8), nn.Linear(8, 8))
    model[2].weight = model[0].weight
    model[1].requires_grad_(not frozen)
    return model


def an_optimizer(model: nn.Module, *, fused: bool) -> torch.optim.Optimizer:
    trained = [parameter for parameter in model.parameters() if parameter.requires_grad]
    decayed = [parameter for parameter in trained if parameter.dim() > 1]
    others = [parameter for parameter in trained if parameter.dim() == 1]
    groups = [{"params": decayed, "weight_decay": 0.1}, {"params": others, "weight_decay": 0.0}]
    return torch.optim.AdamW(groups, lr=0.01, fused=fused)


def steps(model: nn.Module, optimizer: torch.optim.Optimizer, first: int, last: int) -> list[float]:
    losses = []
    for step in range(first, last + 1):
        generator = torch.Generator().manual_seed(step)
        optimizer.param_groups[0]["lr"] = 0.01 / step
        loss = (model(torch.randn(4, 8, generator=generator)) - 1).square().mean()
        loss.backward()
        optimizer.step()
        optimizer.zero_grad()
        losses.append(loss.item())
    return losses


@pytest.mark.parametrize("frozen", [False, True], ids=["all trained", "some frozen"])
@pytest.mark.parametrize("fused", [False, True], ids=["foreach", "fused"])
def test_the_training_goes_on_as_if_undisturbed(tmp_path: Path, fused: bool, frozen: bool) -> None:
    shelf = Shelf(tmp_path)
    model = a_model(1, frozen=frozen)
    optimizer = an_optimizer(model, fused=fused)
    steps(model, optimizer, 1, 3)
    with Saver(shelf, run="r", architecture_sha256=A, keep=Checkpointing()) as saver:
        saver.save(training_state(model, optimizer), step=3, tokens=3)
        undisturbed = steps(model, optimizer, 4, 6)

    again = a_model(1 if frozen else 2, frozen=frozen)
    resumed = an_optimizer(again, fused=fused)
    state = training_state(again, resumed)
    load_state(shelf.place(3), state)
    restore_state(again, resumed, state)
    assert steps(again, resumed, 4, 6) == undisturbed


def test_frozen_weights_are_not_saved() -> None:
    model = a_model(1, frozen=True)
    weights = training_state(model, an_optimizer(model, fused=False))["model"]
    assert isinstance(weights, dict)
    assert not [name for name in weights if name.startswith("1.")]
    assert "0.weight" in weights


def test_the_state_refers_to_the_training_and_copies_nothing() -> None:
    model = a_model(1, frozen=False)
    weights = training_state(model, an_optimizer(model, fused=False))["model"]
    assert isinstance(weights, dict)
    assert weights["1.weight"].data_ptr() == model[1].weight.data_ptr()  # type: ignore[index,union-attr]
