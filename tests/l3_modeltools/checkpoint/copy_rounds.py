"""Kills processes that copy their state into memory, at random moments, and checks what the next one would load.

    python copy_rounds.py ROUNDS SEED

Prints what was done as JSON; a violation ends it with a traceback. torch is imported once, each training is a fork.
"""

import json
import os
import random
import signal
import sys
import time
import traceback
from collections import Counter

import torch
import torch._dynamo  # what an optimizer loads at its first step, in each fork anew
from torch import nn

from l3_modeltools.checkpoint import MemoryCopies, owned_by

LONGEST_S = 0.03


def a_model() -> tuple[nn.Module, torch.optim.Optimizer]:
    model = nn.Sequential(nn.Linear(300, 700), nn.LayerNorm(700), nn.Linear(700, 11))
    return model, torch.optim.AdamW(model.parameters(), lr=0.0, weight_decay=0.0)


def values(model: nn.Module, optimizer: torch.optim.Optimizer) -> list[torch.Tensor]:
    moments = [value for state in optimizer.state.values() for value in state.values()]
    return [*(one.detach() for one in model.parameters()), *moments]


def train(memory: int, told: int) -> None:
    """Copy step after step for ever; in that of step n every number is n."""
    torch.set_num_threads(1)
    model, optimizer = a_model()
    copies = MemoryCopies([memory], 0, owned_by("r", model, optimizer, sharded=False, ranks=1))
    found = copies.newest(())
    step = found[1].step if found else 0
    model(torch.zeros(1, 300)).sum().backward()
    optimizer.step()
    while True:
        step += 1
        for one in values(model, optimizer):
            one.fill_(step)
        assert copies.keep(step=step, tokens=step * 7, skipped=(), loss=float(step)) is not None
        os.write(told, step.to_bytes(4, "big"))


def check(memory: int, least: int) -> None:
    """What is chosen is whole, and no older than what was told of."""
    torch.set_num_threads(1)
    model, optimizer = a_model()
    copies = MemoryCopies([memory], 0, owned_by("r", model, optimizer, sharded=False, ranks=1))
    found = copies.newest(())
    assert found or not least, f"step {least} was told, and nothing can be loaded"
    if found:
        kept = found[1]
        assert kept.step >= least and (kept.tokens, kept.loss) == (kept.step * 7, kept.step), (kept, least)
        copies.load(step=kept.step, source=0)
        assert all(bool((one == kept.step).all()) for one in values(model, optimizer)), kept


def forked(work: object, *words: int) -> int:
    pid = os.fork()
    if pid:
        return pid
    code = 1
    try:
        work(*words)  # type: ignore[operator]
        code = 0
    finally:
        if code:
            traceback.print_exc()
        os._exit(code)


def main() -> None:
    rounds, seed = map(int, sys.argv[1:])
    chance, done = random.Random(seed), Counter[str]()
    memory, step = os.memfd_create("memory"), 0
    for number in range(rounds):
        reader, writer = os.pipe()
        pid = forked(train, memory, writer)
        os.close(writer)
        told = os.read(reader, 4)
        time.sleep(chance.uniform(0, LONGEST_S))
        os.kill(pid, signal.SIGKILL)
        os.waitpid(pid, 0)
        while more := os.read(reader, 65536):
            told = more
        step = int.from_bytes(told[-4:], "big")
        headers = [int.from_bytes(os.pread(memory, 8, at), "little") for at in (0, 4096)]
        assert os.waitpid(forked(check, memory, step), 0)[1] == 0, f"round {number}"
        done += Counter(kills=1, torn=not all(headers))
    print(json.dumps({**done, "steps": step}))


if __name__ == "__main__":
    main()
