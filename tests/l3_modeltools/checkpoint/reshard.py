"""Saves on some ranks, changes the state at once, loads on other numbers of ranks and compares bit for bit.

    python reshard.py FOLDER SAVED_AS LOADED_AS...      each as `ddp:2` or `fsdp:3`

torch is imported once, each rank is a fork. A difference ends it with exit code 1.
"""

import os
import sys
import traceback
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path

import torch
import torch._dynamo  # what optimizers import at their first step, once instead of in every fork
import torch.distributed as dist
from torch import nn
from torch.distributed.device_mesh import init_device_mesh
from torch.distributed.fsdp import fully_shard
from torch.distributed.tensor import DTensor
from torch.nn.parallel import DistributedDataParallel

from l3_modeltools.checkpoint import Saver, Shelf, load_state, restore_state, training_state
from l3_modeltools.schemas import Checkpointing

A = "a" * 64


class Tied(nn.Module):
    """A language model's shape in small: the output is the embedding, which no number of ranks divides."""

    def __init__(self) -> None:
        super().__init__()
        self.embedding = nn.Embedding(101, 32)
        self.hidden = nn.Linear(32, 33)
        self.back = nn.Linear(33, 32, bias=False)
        self.output = nn.Linear(32, 101, bias=False)
        self.output.weight = self.embedding.weight

    def forward(self, ids: torch.Tensor) -> torch.Tensor:
        logits: torch.Tensor = self.output(self.back(self.hidden(self.embedding(ids)).relu()))
        return logits


def build(kind: str, ranks: int) -> tuple[nn.Module, torch.optim.Optimizer]:
    torch.manual_seed(ranks)
    model: nn.Module = Tied()
    if kind == "fsdp":
        fully_shard(model, mesh=init_device_mesh("cpu", (ranks,)))
    else:
        model = DistributedDataParallel(model)
    return model, torch.optim.AdamW(model.parameters(), lr=0.01, fused=True)


def step(model: nn.Module, optimizer: torch.optim.Optimizer) -> None:
    ids = torch.arange(40).reshape(4, 10)
    nn.functional.cross_entropy(model(ids).flatten(0, 1), ids.flatten() + 1).backward()
    optimizer.step()
    optimizer.zero_grad()


def leaves(node: object, name: str = "") -> Iterator[tuple[str, object]]:
    """Yield every value of a state, sharded ones whole."""
    if isinstance(node, Mapping):
        for key, value in node.items():
            yield from leaves(value, f"{name}/{key}")
    else:
        yield name, node.full_tensor() if isinstance(node, DTensor) else node


def same(one: object, other: object) -> bool:
    if isinstance(one, torch.Tensor) and isinstance(other, torch.Tensor):
        return torch.equal(one, other)
    return one == other


def save(folder: Path, kind: str, ranks: int) -> None:
    model, optimizer = build(kind, ranks)
    for _ in range(3):
        step(model, optimizer)
    state = training_state(model, optimizer)
    whole = dict(leaves(state))
    if dist.get_rank() == 0:
        torch.save(whole, folder / "reference.pt")
    with Saver(Shelf(folder / "checkpoints"), run="r", architecture_sha256=A, keep=Checkpointing()) as saver:
        saver.save(state, step=3, tokens=120)
        step(model, optimizer)


def load(folder: Path, kind: str, ranks: int) -> None:
    model, optimizer = build(kind, ranks)
    newest, _ = Shelf(folder / "checkpoints").newest_valid(architecture_sha256=A)
    assert newest and newest.manifest and (newest.step, newest.manifest.tokens) == (3, 120)
    state = training_state(model, optimizer)
    places = {name: value.data_ptr() for name, value in model.named_parameters() if kind == "ddp"}
    load_state(newest.directory, state)
    restore_state(model, optimizer, state)
    reference = torch.load(folder / "reference.pt")
    now = dict(leaves(training_state(model, optimizer)))
    assert now.keys() == reference.keys()
    assert not [name for name in now if not same(now[name], reference[name])]
    assert all(value.data_ptr() == places[name] for name, value in model.named_parameters() if kind == "ddp")
    step(model, optimizer)


def together(folder: Path, work: Callable[[Path, str, int], None], shape: str) -> None:
    """Run `work` on all ranks of a shape; AssertionError when one fails."""
    kind, _, count = shape.partition(":")
    meeting = folder / f"meeting-{work.__name__}-{shape}"
    pids = []
    for rank in range(int(count)):
        pid = os.fork()
        if not pid:
            code = 1
            try:
                torch.set_num_threads(1)
                dist.init_process_group("gloo", f"file://{meeting}", rank=rank, world_size=int(count))
                work(folder, kind, int(count))
                dist.destroy_process_group()
                code = 0
            finally:
                if code:
                    traceback.print_exc()
                os._exit(code)
        pids.append(pid)
    assert not [pid for pid in pids if os.waitpid(pid, 0)[1]], f"{work.__name__} as {shape}"


def main() -> None:
    folder, saved_as, *loaded_as = sys.argv[1:]
    together(Path(folder), save, saved_as)
    for shape in loaded_as:
        together(Path(folder), load, shape)


if __name__ == "__main__":
    main()
