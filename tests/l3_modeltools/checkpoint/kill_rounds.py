"""Kills trainings that save, at random moments, and checks after each kill what the next one would load.

    python kill_rounds.py DIRECTORY RANKS ROUNDS SEED     at random moments
    python kill_rounds.py DIRECTORY                       before each change of a file system that one save makes

Prints what was done as JSON; a violation ends it with a traceback. torch is imported once, each training is a fork.
"""

import json
import os
import random
import shutil
import signal
import sys
import time
import traceback
from collections import Counter
from collections.abc import Callable
from functools import partial
from pathlib import Path

import torch
import torch.distributed as dist

from l3_modeltools.checkpoint import Saver, Shelf, load_state
from l3_modeltools.schemas import Checkpointing

TENSORS, ELEMENTS = 6, 40_000
KEEP = Checkpointing(keep_last=2, keep_every_steps=40, every_steps=1)
LONGEST_S = 0.25
CHANGES = frozenset(["open", "os.mkdir", "os.remove", "os.rename", "os.rmdir", "os.truncate"])
"""Python's audit events before what changes a file system."""


def reference(step: int) -> dict[str, torch.Tensor]:
    """The state of a step, which nothing but the step decides."""
    ramp = torch.arange(ELEMENTS, dtype=torch.float32)
    return {f"t{index}": ramp * (index + 1) + step for index in range(TENSORS)}


def empty() -> dict[str, object]:
    return {"model": {name: torch.zeros_like(tensor) for name, tensor in reference(0).items()}, "step": 0}


def set_to(state: dict[str, object], step: int) -> None:
    """Make it the state of a step, in place, as an optimizer would."""
    model = state["model"]
    assert isinstance(model, dict)
    for name, tensor in reference(step).items():
        model[name].copy_(tensor)
    state["step"] = step


def train(directory: Path, rank: int, ranks: int, meeting: Path, told: int) -> None:
    """Resume, then save step after step for ever; write the number of each published step to `told`."""
    torch.set_num_threads(1)
    if ranks > 1:
        dist.init_process_group("gloo", init_method=f"file://{meeting}", rank=rank, world_size=ranks)
    shelf, state = Shelf(directory), empty()
    newest, _ = shelf.newest_valid()
    if newest:
        load_state(newest.directory, state)
    step = newest.step if newest else 0

    def tell(saved: object) -> None:
        os.write(told, b"%d\n" % saved.step)  # type: ignore[attr-defined]

    saver = Saver(shelf, run="r", architecture_sha256="a" * 64, keep=KEEP, on_saved=tell)
    os.write(told, b"0\n")
    while True:
        step += 1
        set_to(state, step)
        saver.save(state, step=step, tokens=step)


def check(directory: Path, confirmed: int) -> None:
    """Whatever bears a checkpoint's name is one, the newest is what its step was and none older than told."""
    shelf = Shelf(directory)
    newest, passed_over = shelf.newest_valid(run="r", architecture_sha256="a" * 64)
    assert newest or not confirmed, f"step {confirmed} was told to be saved, and nothing can be loaded"
    finals = [found for found in shelf.found() if "." not in found.directory.name]
    assert not [found.fault for found in finals if found.fault], finals
    assert all(found.directory.name.endswith((".partial", ".removing")) for found in passed_over), passed_over
    if newest:
        assert newest.step >= confirmed, (newest.step, confirmed)
        state = empty()
        load_state(newest.directory, state)
        model = state["model"]
        assert isinstance(model, dict) and state["step"] == newest.step
        assert all(torch.equal(model[name], tensor) for name, tensor in reference(newest.step).items())


def forked(work: Callable[[], None]) -> int:
    """Run it in a child that never returns; its standard error is ours."""
    pid = os.fork()
    if pid:
        return pid
    code = 1
    try:
        work()
        code = 0
    finally:
        if code and os.environ.get("SHOW_KILLED"):
            traceback.print_exc()
        os._exit(code)


def one_round(directory: Path, ranks: int, number: int, chance: random.Random) -> Counter[str]:
    """Start a training, kill it after a while: one rank first where there are several."""
    reader, writer = os.pipe()
    meeting = directory.parent / f"meeting-{number}"
    pids = [forked(partial(train, directory, rank, ranks, meeting, writer)) for rank in range(ranks)]
    os.close(writer)
    told = os.read(reader, 2)
    time.sleep(chance.uniform(0, LONGEST_S))
    chance.shuffle(pids)
    for pid in pids:
        os.kill(pid, signal.SIGKILL)
        time.sleep(chance.choice((0, 0, 0.03)) if ranks > 1 else 0)
    ended = [os.waitpid(pid, 0)[1] for pid in pids]
    while more := os.read(reader, 65536):
        told += more
    os.close(reader)
    assert any(os.WIFSIGNALED(status) for status in ended), "every rank had ended by itself"
    confirmed = max([int(line) for line in told.split()], default=0)
    left = [path.name for path in directory.glob("*.partial")] if directory.exists() else []
    assert os.waitpid(forked(partial(check, directory, confirmed)), 0)[1] == 0, f"round {number}"
    return Counter(kills=ranks, saved=max(0, told.count(b"\n") - 1), half_written=len(left))


def at_every_change(directory: Path) -> Counter[str]:
    """Save steps 1 to 3, killed before the first change of the third save, then before the second, and so on."""
    done = Counter[str]()
    ended = False
    while not ended:
        shutil.rmtree(directory, ignore_errors=True)
        status = os.waitpid(forked(partial(three_saves, directory, done["kills"] + 1)), 0)[1]
        ended = not os.WIFSIGNALED(status)
        assert os.waitpid(forked(partial(check, directory, 3 if ended else 2)), 0)[1] == 0, done
        done += Counter(kills=not ended, saved=check_step(directory) == 3)
    return done


def three_saves(directory: Path, fatal: int) -> None:
    """Save steps 1, 2 and 3, the last of which ends before its `fatal`th change."""
    changes = 0

    def count(event: str, words: tuple[object, ...]) -> None:
        nonlocal changes
        if event in CHANGES and (event != "open" or str(directory) in str(words[0])):
            changes += 1
            if changes == fatal:
                os.kill(os.getpid(), signal.SIGKILL)

    state = empty()
    with Saver(Shelf(directory), run="r", architecture_sha256="a" * 64, keep=KEEP) as saver:
        for step in (1, 2, 3):
            if step == 3:
                saver.wait()
                sys.addaudithook(count)
            set_to(state, step)
            saver.save(state, step=step, tokens=step)


def check_step(directory: Path) -> int:
    return max(found.step for found in Shelf(directory).found() if not found.fault)


def main() -> None:
    directory, *chosen = Path(sys.argv[1]), *map(int, sys.argv[2:])
    if not chosen:
        print(json.dumps(at_every_change(directory)))
        return
    ranks, rounds, seed = chosen
    chance, done = random.Random(seed), Counter[str]()
    for number in range(rounds):
        done += one_round(directory, ranks, number, chance)
    print(json.dumps(done))


if __name__ == "__main__":
    main()
