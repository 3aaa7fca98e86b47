"""Tokens per second of the trainer, beside a bare PyTorch loop and Hugging Face's Trainer: same model, same shapes.

    python benchmarks/train_loop.py [--quick] [--model PRESET] [--rounds N]

Each way runs in a process of its own (see _loops.py), in turn, so that a busy moment of the machine hits all; its
speed is that of the median step after the first few; the figures are medians over the rounds. `bare, memory kept` is
the bare loop with glibc told to keep freed memory, which the trainer does by itself: what remains is the trainer's own.
"""

import argparse
import json
import os
import random
import subprocess
import sys
import tempfile
from collections.abc import Mapping
from itertools import pairwise
from pathlib import Path
from statistics import median

ROOT = Path(__file__).parents[1]
sys.path[:0] = [str(ROOT)]

import numpy as np  # noqa: E402

from l0_infra.core.documents import render_json  # noqa: E402
from l3_modeltools.architectures import preset  # noqa: E402
from l3_modeltools.data import IndexedWriter  # noqa: E402
from l3_modeltools.schemas import Dataset, DataShard, Tokenizer  # noqa: E402

KEEP_MEMORY = {"GLIBC_TUNABLES": "glibc.malloc.mmap_max=0:glibc.malloc.trim_threshold=2147483647"}
WAYS: Mapping[str, tuple[str, Mapping[str, str]]] = {
    "ogai": ("ogai", {}),
    "bare PyTorch loop": ("bare", {}),
    "bare, memory kept": ("bare", KEEP_MEMORY),
    "Hugging Face Trainer": ("trainer", {}),
}
WARM_UP = 3
"""First steps that are not counted."""


def main() -> None:
    options = parse_options()
    rows, steps = (1, 6) if options.quick else (options.rows, options.steps)
    with tempfile.TemporaryDirectory(prefix="ogai-bench-") as name:
        folder = Path(name)
        write_data(folder / "data", preset(options.model).vocab_size)
        speeds: dict[str, list[float]] = {way: [] for way in WAYS}
        for _ in range(options.rounds):
            for way in random.sample(list(WAYS), len(WAYS)):
                speeds[way].append(measure(way, options, rows=rows, steps=steps, folder=folder))
    title = f"{options.model}, {rows} × {options.length} tokens a step, fp32, {options.threads} threads"
    print_speeds(title, speeds)


def parse_options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--model", default="tiny-llama", help="preset that is trained")
    parser.add_argument("--rows", type=int, default=16, help="samples of a step")
    parser.add_argument("--length", type=int, default=256, help="tokens of a sample")
    parser.add_argument("--steps", type=int, default=15, help="steps of a round")
    parser.add_argument("--rounds", type=int, default=5, help="rounds over all ways")
    parser.add_argument("--threads", type=int, default=len(os.sched_getaffinity(0)), help="of each way")
    parser.add_argument(
        "--quick", action="store_true", help="one round of small steps on one thread: does it run at all?"
    )
    options = parser.parse_args()
    if options.quick:
        options.rounds, options.threads = 1, 1
    return options


def measure(way: str, options: argparse.Namespace, *, rows: int, steps: int, folder: Path) -> float:
    """Run a way once; return the tokens per second of its median step."""
    name, environment = WAYS[way]
    command = [sys.executable, str(ROOT / "benchmarks" / "_loops.py"), name, options.model]
    command += [str(rows), str(options.length), str(steps), str(folder)]
    environment = {**os.environ, "OMP_NUM_THREADS": str(options.threads), **environment}
    done = subprocess.run(command, env=environment, check=True, stdout=subprocess.PIPE, text=True)
    times = json.loads(done.stdout)[WARM_UP:]
    return rows * options.length / median(end - begin for begin, end in pairwise(times))


def write_data(folder: Path, vocabulary: int) -> None:
    """Write a prepared data set of random tokens: what is in them does not matter here."""
    folder.mkdir()
    with IndexedWriter(folder / "train-00000", "uint16") as writer:
        for _ in range(100):
            writer.add(np.random.default_rng(0).integers(0, vocabulary, 10_000))
        files = writer.publish()
    shard = DataShard(documents=files.documents, tokens=files.tokens, bin=files.bin, idx=files.idx)
    tokenizer = Tokenizer(name="none", sha256="0" * 64, vocab_size=vocabulary, end_of_document=0)
    manifest = Dataset(name="bench", tokenizer=tokenizer, token_dtype="uint16", shards=(shard,))
    (folder / "dataset.json").write_text(render_json(manifest))


def print_speeds(title: str, speeds: Mapping[str, list[float]]) -> None:
    """Print the median speed of each way with its range, and ours as a ratio to it."""
    print(title)
    ours = median(speeds["ogai"])
    for way, values in speeds.items():
        middle = median(values)
        spread = f"{min(values):,.0f} … {max(values):,.0f}"
        print(f"  {way:<24}{middle:>10,.0f} tokens/s   {spread:>20}   ogai ÷ it: {ours / middle:.3f}")


if __name__ == "__main__":
    main()
