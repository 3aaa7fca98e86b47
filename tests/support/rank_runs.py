"""Runs of models of a few thousand parameters, started as torchrun starts them, killed, and compared step by step."""

import json
import os
import random
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Mapping
from pathlib import Path

import msgspec

from l0_infra.core.documents import render_json
from l2_scheduler.schemas import Resources
from l3_modeltools.schemas import (
    Checkpointing,
    Compute,
    Cosine,
    Degrees,
    MixturePart,
    Optimizer,
    Run,
    Strategy,
    Train,
    TrainingData,
    Validation,
)
from tests.support.datasets import make_dataset
from tests.support.tiny_models import LLAMA, training

__all__ = [
    "Told",
    "kill_at",
    "make_data",
    "make_run",
    "read_told",
    "recut",
    "small_train",
    "start",
    "train_to_the_end",
]

ROOT = Path(__file__).parents[2]
TIMEOUT_S = 180.0

Told = tuple[float | None, float | None, float | None]
"""Of one step: loss, gradient norm, validation loss."""


def make_data(folder: Path, form: str = "text") -> Path:
    """Write a small data set with a pattern in it; return its manifest."""
    drawn = random.Random(5)

    def document() -> list[int]:
        first, pace = drawn.randrange(90), drawn.randrange(1, 6)
        return [1 + (first + place * pace) % 90 for place in range(drawn.randrange(18, 60))]

    def masked() -> tuple[list[int], list[int]]:
        tokens = document()
        return tokens, [int(place >= len(tokens) // 2) for place in range(len(tokens))]

    make = document if form == "text" else masked
    train = [[make() for _ in range(40)] for _ in range(2)]
    make_dataset(folder, train, [[make() for _ in range(12)]], form=form, vocab_size=LLAMA.vocab_size)
    return folder / "dataset.json"


def small_train(data: Path, *, steps: int = 30, base: Train | None = None) -> Train:
    """Make a training of 8 samples a step on one rank, saved every third step."""
    return msgspec.structs.replace(
        base or training(LLAMA),
        data=TrainingData(
            mixture=(MixturePart(dataset=str(data)),), sequence_length=16, global_batch_size=8, seed=11
        ),
        steps=steps,
        optimizer=Optimizer(learning_rate=1e-2, schedule=Cosine(warmup_steps=3)),
        compute=Compute(precision="fp32"),
        validation=Validation(every_steps=10),
        checkpoint=Checkpointing(every_steps=3, keep_last=2),
        strategy=Strategy(degrees=Degrees(dp=1), micro_batch_size=1),
    )


def recut(train: Train, *, ranks: int, zero_stage: int = 0) -> Train:
    """Let a training run on so many ranks."""
    strategy = Strategy(degrees=Degrees(dp=ranks), micro_batch_size=1, zero_stage=zero_stage)  # type: ignore[arg-type]
    return msgspec.structs.replace(train, strategy=strategy, resources=Resources(tasks_per_node=ranks))


def make_run(folder: Path, train: Train, **fields: object) -> Path:
    """Write `run.json` of a training, also over one that is there."""
    folder.mkdir(exist_ok=True)
    run = Run(run_id="small", train=train, directory=str(folder), submitted_at=1.0, **fields)  # type: ignore[arg-type]
    (folder / "run.json").write_text(render_json(run))
    return folder


def start(run: Path, environment: Mapping[str, str] | None = None) -> subprocess.Popen[str]:
    """Start every rank of a run; what they print is appended to `log`. One rank alone needs no torchrun."""
    ranks = json.loads((run / "run.json").read_text())["train"]["strategy"]["degrees"]["dp"]
    torchrun = [
        "l3_modeltools.training.launch",
        "--standalone",
        f"--nproc-per-node={ranks}",
        "--max-restarts=0",
        "-m",
    ]
    alone = {
        "RANK": "0",
        "WORLD_SIZE": "1",
        "LOCAL_RANK": "0",
        "MASTER_ADDR": "127.0.0.1",
        "MASTER_PORT": "0",
    }
    paths = os.pathsep.join(map(str, (ROOT, ROOT / "cli")))
    with (run / "log").open("a") as log:
        return subprocess.Popen(
            [sys.executable, "-m", *(torchrun if ranks > 1 else ()), "l3_modeltools.training", str(run)],
            env={
                **os.environ,
                "OMP_NUM_THREADS": "1",
                "PYTHONPATH": paths,
                **(alone if ranks == 1 else {}),
                **(environment or {}),
            },
            stdout=log,
            stderr=log,
            text=True,
        )


def train_to_the_end(run: Path) -> dict[int, Told]:
    """Run it until it ends by itself, which must be well; return what it told of each step."""
    process = start(run)
    try:
        code = process.wait(TIMEOUT_S)
    finally:
        kill_all(process.pid)
    assert code == 0, (run / "log").read_text()
    return read_told(run)


def read_told(run: Path) -> dict[int, Told]:
    """Read what was told last of each step."""
    path = run / "metrics.jsonl"
    told = {}
    for line in path.read_bytes().splitlines() if path.exists() else ():
        try:
            step = json.loads(line)
        except ValueError:
            continue
        told[step["step"]] = step.get("loss"), step.get("grad_norm"), step.get("validation_loss")
    return told


def kill_at(run: Path, ready: Callable[[], bool], *, delay_s: float = 0.0) -> None:
    """Start a run, and kill -9 every process of it `delay_s` after `ready` says so, or let it end before."""
    process = start(run)
    deadline = time.monotonic() + TIMEOUT_S
    while process.poll() is None and not ready():
        if time.monotonic() > deadline:
            kill_all(process.pid)
            raise TimeoutError((run / "log").read_text())
        time.sleep(0.002)
    time.sleep(delay_s)
    kill_all(process.pid)
    process.wait()


def kill_all(pid: int) -> None:
    """Kill a process that this one started, unless it has ended, and all that it started."""
    for one in [*descendants(pid), pid]:
        try:
            os.kill(one, signal.SIGKILL)
        except ProcessLookupError:
            continue


def descendants(pid: int) -> list[int]:
    """List what a process started, and they in turn."""
    try:
        threads = [task / "children" for task in Path(f"/proc/{pid}/task").iterdir()]
        children = [int(child) for file in threads for child in file.read_text().split()]
    except OSError:
        return []
    return [one for child in children for one in (child, *descendants(child))]
