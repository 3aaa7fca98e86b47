"""Tokens per second with and without supervision: the same trainer, the same number of ranks, in turn.

    python benchmarks/supervision.py [--quick] [--model PRESET] [--rounds N]

Without: torchrun starts the ranks, which copy nothing and tell nobody how they are. With: as `ogai train submit` does.
A round's speed is that of all its steps after the first ones, copies and heartbeats in it.
"""

import argparse
import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from statistics import median

ROOT = Path(__file__).parents[1]
sys.path[:0] = [str(ROOT)]

import msgspec  # noqa: E402
from _loops import make_train  # noqa: E402
from train_loop import write_data  # noqa: E402

from l0_infra.core.documents import render_json  # noqa: E402
from l2_scheduler.schemas import Resources  # noqa: E402
from l3_modeltools.architectures import preset  # noqa: E402
from l3_modeltools.runs import read_metrics  # noqa: E402
from l3_modeltools.schemas import Checkpointing, Degrees, Run, Strategy  # noqa: E402

RANKS = 2
WARM_UP = 20
"""First steps that are not counted."""

TORCHRUN = ("l3_modeltools.training.launch", "--standalone", f"--nproc-per-node={RANKS}", "--max-restarts=0")
WAYS = {
    "without": ("-m", *TORCHRUN, "-m", "l3_modeltools.training"),
    "with": ("-m", "l3_modeltools.resilience.supervisor"),
}


def main() -> None:
    options = parse_options()
    speeds: dict[str, list[float]] = {way: [] for way in WAYS}
    with tempfile.TemporaryDirectory(prefix="ogai-bench-") as name:
        write_data(Path(name) / "data", preset(options.model).vocab_size)
        for number in range(options.rounds):
            order = list(WAYS) if number % 2 else list(reversed(WAYS))
            for way in order:
                speeds[way].append(measure(way, options, Path(name)))
                print(
                    f"  round {number + 1}, {way}: {speeds[way][-1]:,.0f} tokens/s",
                    file=sys.stderr,
                    flush=True,
                )
    print_speeds(options, speeds)


def parse_options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--model", default="tiny-llama", help="preset that is trained")
    parser.add_argument("--rows", type=int, default=4, help="samples of a step, of each rank")
    parser.add_argument("--length", type=int, default=256, help="tokens of a sample")
    parser.add_argument("--steps", type=int, default=100, help="steps of a round")
    parser.add_argument("--rounds", type=int, default=5, help="rounds over both ways")
    parser.add_argument("--quick", action="store_true", help="one round of small steps: does it run at all?")
    options = parser.parse_args()
    if options.quick:
        options.rounds, options.steps, options.rows, options.length = 1, WARM_UP + 10, 1, 64
    return options


def measure(way: str, options: argparse.Namespace, folder: Path) -> float:
    """Train once; return the tokens per second over all steps after the first ones."""
    tokens = RANKS * options.rows * options.length
    train = msgspec.structs.replace(
        make_train(options.model, RANKS * options.rows, options.length, options.steps, folder),
        strategy=Strategy(degrees=Degrees(dp=RANKS), micro_batch_size=options.rows),
        resources=Resources(tasks_per_node=RANKS),
        checkpoint=Checkpointing(every_steps=options.steps),
    )
    with tempfile.TemporaryDirectory(dir=folder) as name:
        run = Run(run_id="bench", train=train, directory=name, submitted_at=time.time())
        (Path(name) / "run.json").write_text(render_json(run))
        environment = {**os.environ, "OMP_NUM_THREADS": "1", "PYTHONPATH": f"{ROOT}:{ROOT / 'cli'}"}
        command = [sys.executable, *WAYS[way], name]
        subprocess.run(command, env=environment, check=True, capture_output=True)
        times = [metric.at for metric in read_metrics(Path(name)) if metric.at][WARM_UP:-1]
    return tokens * (len(times) - 1) / (times[-1] - times[0])


def print_speeds(options: argparse.Namespace, speeds: dict[str, list[float]]) -> None:
    print(
        f"{options.model}, {RANKS} ranks, {options.rows} × {options.length} tokens each, {options.rounds} rounds"
    )
    for way, values in speeds.items():
        spread = f"{min(values):,.0f} … {max(values):,.0f}"
        print(f"  {way + ' supervision':<22}{median(values):>10,.0f} tokens/s   {spread:>20}")
    ratios = [ours / bare for ours, bare in zip(speeds["with"], speeds["without"], strict=True)]
    print(
        f"  with ÷ without: {median(ratios):.4f}, median of the rounds ({min(ratios):.4f} … {max(ratios):.4f})"
    )


if __name__ == "__main__":
    main()
