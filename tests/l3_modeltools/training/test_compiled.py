"""A compiled model learns as the model does, and writes without being compiled again for every length."""

import shutil
from pathlib import Path

import pytest
import torch
from torch import nn
from torch._dynamo.utils import counters

from l3_modeltools.data import Batch
from l3_modeltools.schemas import Compute, Strategy
from l3_modeltools.training import build_model
from l3_modeltools.training.generate import generate
from l3_modeltools.training.objectives import objective_of
from l3_modeltools.training.parallel import spread
from l3_modeltools.training.world import World
from tests.support.run_directories import make_tokenizer
from tests.support.tiny_models import LLAMA, training

pytestmark = [
    pytest.mark.real,
    pytest.mark.filterwarnings("ignore"),  # what the compiler says of itself
    pytest.mark.skipif(
        shutil.which("g++") is None, reason="no C++ compiler, with which torch compiles for a CPU"
    ),
]


def learnt(*, compiled: bool) -> tuple[nn.Module, torch.Tensor, torch.Tensor]:
    """Return a model after a backward pass, its loss, and the gradient of its first matrix."""
    train = training(LLAMA)
    model = build_model(train, LLAMA, seed=0)
    objective = objective_of(train, model)
    alone = World(rank=0, size=1, device=torch.device("cpu"))
    parallel = spread(
        model, world=alone, strategy=Strategy(), compute=Compute(precision="fp32", compile=compiled)
    )
    tokens = torch.randint(0, LLAMA.vocab_size, (2, 17), generator=torch.Generator().manual_seed(1))
    loss = objective.loss(parallel.outer, Batch(input_ids=tokens[:, :-1], labels=tokens[:, 1:]))
    loss.sum.backward()  # type: ignore[no-untyped-call]
    gradient = next(model.parameters()).grad
    assert gradient is not None
    return model, loss.sum.detach(), gradient


def test_a_compiled_model_learns_alike_and_writes_uncompiled(tmp_path: Path) -> None:
    _, loss, gradient = learnt(compiled=False)
    counters.clear()
    model, compiled_loss, compiled_gradient = learnt(compiled=True)
    assert counters["stats"]["unique_graphs"] > 0
    torch.testing.assert_close(compiled_loss, loss)
    torch.testing.assert_close(compiled_gradient, gradient)
    make_tokenizer(tmp_path, LLAMA.vocab_size)
    counters.clear()
    assert isinstance(generate(model, tmp_path, "the", max_new_tokens=6, seed=1), str)
    assert counters["stats"]["unique_graphs"] == 0
