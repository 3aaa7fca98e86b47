"""How much a process's memory grows while our trainer really trains: `python -m tests.support.real_peak`.

It makes what `ogai train` makes of a run on one rank, and takes two steps; the kernel says how much was resident at
most. Prints bytes by JSON. The C library is to give freed blocks back at once: see `ENVIRONMENT`.
"""

import json
from pathlib import Path

import torch
from torch import nn

from l3_modeltools.data import Batch
from l3_modeltools.planning.cost import Setting
from l3_modeltools.schemas import (
    Architecture,
    Compute,
    GroupedAttention,
    Kept,
    Mlp,
    Optimizer,
    Practice,
    Strategy,
    Train,
)
from l3_modeltools.training import build_model
from l3_modeltools.training.objectives.tokens import NextToken
from l3_modeltools.training.optimizer import make_optimizer
from l3_modeltools.training.parallel import spread
from l3_modeltools.training.step import NOTHING, Stepper
from l3_modeltools.training.world import World

__all__ = ["ENVIRONMENT", "SETTING"]

ENVIRONMENT = {"MALLOC_MMAP_THRESHOLD_": "65536", "MALLOC_ARENA_MAX": "1", "OMP_NUM_THREADS": "2"}

MODEL = Architecture(
    name="measured",
    model_type="llama",
    hidden_size=256,
    num_hidden_layers=6,
    vocab_size=8192,
    max_position_embeddings=1024,
    attention=GroupedAttention(num_attention_heads=4, num_key_value_heads=2),
    mlp=Mlp(intermediate_size=768),
)
SETTING = Setting(
    architecture=MODEL,
    strategy=Strategy(micro_batch_size=4),
    sequence_length=1024,
    global_batch_size=8,
    practice=Practice(
        compute="fp32",
        weights="fp32",
        master_weights=False,
        fused_elementwise=False,
        fused_loss=True,
        kept=Kept(logits_in_place=True, stream="fp32"),
    ),
)


def main() -> None:
    """Measure from before the model is built."""
    torch.manual_seed(0)
    _warm_up()
    before = _status("VmRSS")
    Path("/proc/self/clear_refs").write_text("5")  # the highest mark begins anew (man 5 proc)
    _train()
    print(json.dumps({"grown": _status("VmHWM") - before}))


def _warm_up() -> None:
    """Load what libraries load at their first product and backward pass."""
    layer = nn.Linear(64, 64)
    torch.nn.functional.scaled_dot_product_attention(*[layer(torch.ones(1, 1, 64, 64))] * 3).sum().backward()
    torch.optim.AdamW(layer.parameters(), fused=True).step()


def _train() -> None:
    world = World(rank=0, size=1, device=torch.device("cpu"))
    model = build_model(Train(name="measured"), MODEL, seed=0)
    parallel = spread(model, world=world, strategy=SETTING.strategy, compute=Compute(precision="fp32"))
    optimizer = make_optimizer(Optimizer(), model)
    stepper = Stepper(parallel, NextToken(), optimizer, world=world, max_grad_norm=1.0)
    shape = SETTING.strategy.micro_batch_size, SETTING.sequence_length
    batches = [
        Batch(input_ids=torch.zeros(shape, dtype=torch.int64), labels=torch.ones(shape, dtype=torch.int64))
        for _ in range(SETTING.microbatches)
    ]
    for taken in (batches[:1], batches):  # the second step finds the optimizer's states there
        stepper.update(stepper.propose(taken, NOTHING), rate=1e-4)


def _status(name: str) -> int:
    """Bytes of a field of the process's status."""
    for line in Path("/proc/self/status").read_text("utf-8").splitlines():
        if line.startswith(f"{name}:"):
            return int(line.split()[1]) * 1024
    raise RuntimeError(f"the kernel tells no {name}")


if __name__ == "__main__":
    main()
