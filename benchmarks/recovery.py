"""From a fault to the next new loss, beside plain `torchrun --max-restarts 3` with a checkpoint as often.

    python benchmarks/recovery.py [--quick] [--model PRESET] [--rounds N]

Both train the same model on the same shapes with two ranks, save as often, and meet the same fault on rank 1.
A new loss is finite and of a step that was not done before. What is not there after the bound is said to be so.
"""

import argparse
import json
import math
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
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
from l3_modeltools.resilience.drill import Clock, Conductor, DrillPlan, PlannedBlow, plan_drill  # noqa: E402
from l3_modeltools.schemas import Checkpointing, Degrees, Resilience, Run, Strategy  # noqa: E402

FAULTS = ("kill", "hang", "nan")
RANKS = 2
BOUND_S = 60.0
FIRST_STEP_S = 300.0


@dataclass(frozen=True, kw_only=True, slots=True)
class Recovery:
    """What a fault cost; None: no new loss within the bound."""

    seconds: float | None
    redone: int
    noticed_s: float | None = None
    step_s: float = 0.0


def main() -> None:
    options = parse_options()
    found: dict[tuple[str, str], list[Recovery]] = {}
    with tempfile.TemporaryDirectory(prefix="ogai-bench-") as name:
        write_data(Path(name) / "data", preset(options.model).vocab_size)
        for number in range(options.rounds):
            for way, measure in (("ogai", measure_ogai), ("torchrun", measure_torchrun)):
                folder = Path(name) / f"{way}-{number}"
                folder.mkdir()
                (folder / "data").symlink_to(Path(name) / "data")
                for fault, recovery in measure(folder, options):
                    found.setdefault((way, fault), []).append(recovery)
                    print(f"  round {number + 1}, {way}, {fault}: {recovery}", file=sys.stderr, flush=True)
    print_recoveries(options, found)


def parse_options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--model", default="tiny-llama", help="preset that is trained")
    parser.add_argument("--rows", type=int, default=2, help="samples of a step, of each rank")
    parser.add_argument("--length", type=int, default=64, help="tokens of a sample")
    parser.add_argument("--interval", type=int, default=50, help="steps between two checkpoints")
    parser.add_argument("--rounds", type=int, default=5, help="rounds over both ways and all faults")
    parser.add_argument("--bound", type=float, default=BOUND_S, help="how long a new loss is waited for, s")
    parser.add_argument(
        "--quick", action="store_true", help="one round, little patience: does it run at all?"
    )
    options = parser.parse_args()
    options.faults = FAULTS
    if options.quick:
        options.rounds, options.bound, options.interval, options.faults = 1, 10.0, 20, FAULTS[:1]
    return options


def measure_ogai(folder: Path, options: argparse.Namespace) -> Iterator[tuple[str, Recovery]]:
    """Drill a supervised run."""
    train = make_train(options.model, RANKS * options.rows, options.length, 1_000_000, folder)
    train = msgspec.structs.replace(
        train,
        checkpoint=Checkpointing(every_steps=options.interval),
        strategy=Strategy(degrees=Degrees(dp=RANKS), micro_batch_size=options.rows),
        resources=Resources(tasks_per_node=RANKS),
        resilience=Resilience(max_restarts=100),
    )
    run = Run(run_id="bench", train=train, directory=str(folder), submitted_at=time.time())
    (folder / "run.json").write_text(render_json(run))
    with started(["-m", "l3_modeltools.resilience.supervisor", str(folder)], folder) as process:
        wait_for_step(folder / "metrics.jsonl", 3 * options.interval // 2, process)
        conductor = Conductor(
            directory=folder,
            clock=Clock(now=time.time, sleep=time.sleep),
            is_alive=lambda: process.poll() is None,
            tell=lambda text: None,
        )
        for result in conductor.run(DrillPlan(seed=0, blows=tuple(map(blow_of, options.faults)))):
            yield (
                result.trouble,
                Recovery(
                    seconds=result.resumed_after_s,
                    redone=result.redone_steps,
                    noticed_s=result.noticed_after_s,
                    step_s=conductor.recorder.step_s(),
                ),
            )


def blow_of(trouble: str) -> PlannedBlow:
    """Let rank 1 meet a fault in its forward pass, as it does in the other way."""
    (blow,) = plan_drill([trouble], seed=0, ranks=RANKS).blows  # type: ignore[list-item]
    order = msgspec.structs.replace(blow.order, rank=1, where="forward")
    return PlannedBlow(trouble=blow.trouble, order=order)


def measure_torchrun(folder: Path, options: argparse.Namespace) -> Iterator[tuple[str, Recovery]]:
    """Do the same to the trainer written by hand, each fault to a fresh one: it may not outlive the one before."""
    for fault in options.faults:
        place = folder / fault
        place.mkdir()
        (place / "data").symlink_to(folder / "data")
        words = [
            "-m",
            "torch.distributed.run",
            "--standalone",
            f"--nproc-per-node={RANKS}",
            "--max-restarts=3",
        ]
        words += [str(ROOT / "benchmarks" / "_recovery.py"), str(place), options.model]
        words += [str(number) for number in (options.rows, options.length, options.interval)]
        with started(words, place) as process:
            told = place / "told.jsonl"
            step = wait_for_step(told, 3 * options.interval // 2, process)
            (place / "fault.new").write_text(json.dumps({"fault": fault, "step": step + 2}))
            (place / "fault.new").rename(place / "fault.json")
            yield fault, watch(place, told, options.bound)


def watch(place: Path, told: Path, bound_s: float) -> Recovery:
    """Wait for the next new loss."""
    until = time.monotonic() + bound_s
    while time.monotonic() < until:
        time.sleep(0.1)
        if (place / "fired.json").exists():
            fired = json.loads((place / "fired.json").read_text())
            lines = read_lines(told)
            done = max((line["step"] for line in lines if line["at"] < fired["at"]), default=0)
            after = [line for line in lines if line["at"] >= fired["at"]]
            new = [line for line in after if line["step"] > done and math.isfinite(line["loss"])]
            if new:
                redone = {line["step"] for line in after if line["step"] <= done}
                return Recovery(seconds=new[0]["at"] - fired["at"], redone=len(redone))
    return Recovery(seconds=None, redone=0)


def read_lines(file: Path) -> list[dict[str, float]]:
    if not file.exists():
        return []
    return [json.loads(line) for line in file.read_text().splitlines() if line.endswith("}")]


def wait_for_step(file: Path, step: int, process: subprocess.Popen[bytes]) -> int:
    """Wait until a step was told; return the last one."""
    until = time.monotonic() + FIRST_STEP_S
    while time.monotonic() < until and process.poll() is None:
        time.sleep(0.1)
        if (lines := read_lines(file)) and lines[-1]["step"] >= step:
            return int(lines[-1]["step"])
    sys.exit(f"{file} never came to step {step}")


@contextmanager
def started(words: list[str], folder: Path) -> Iterator[subprocess.Popen[bytes]]:
    """Start a program of this Python; at the end it is ended, and what it started with it."""
    environment = {**os.environ, "OMP_NUM_THREADS": "1", "PYTHONPATH": f"{ROOT}:{ROOT / 'cli'}"}
    with (folder / "log").open("w") as log:
        process = subprocess.Popen([sys.executable, *words], env=environment, stdout=log, stderr=log)
    try:
        yield process
    finally:
        process.terminate()
        try:
            process.wait(30)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()


def print_recoveries(options: argparse.Namespace, found: dict[tuple[str, str], list[Recovery]]) -> None:
    print(
        f"{options.model}, {RANKS} ranks, {options.rows} × {options.length} tokens each, a checkpoint every"
        f" {options.interval} steps, medians of {options.rounds}"
    )
    print(f"  {'fault':<8}{'way':<12}{'next new loss':>20}{'noticed':>12}{'steps redone':>15}{'step':>10}")
    for fault in options.faults:
        for way in ("ogai", "torchrun"):
            print(row(fault, way, found[way, fault], options.bound))


def row(fault: str, way: str, recoveries: list[Recovery], bound_s: float) -> str:
    times = [recovery.seconds for recovery in recoveries if recovery.seconds is not None]
    noticed = [recovery.noticed_s for recovery in recoveries if recovery.noticed_s is not None]
    if len(times) < len(recoveries):
        back = f"none in {bound_s:.0f} s, {len(recoveries) - len(times)} of {len(recoveries)}"
    else:
        back = f"{median(times):.2f} s"
    step_s = median(recovery.step_s for recovery in recoveries)
    return (
        f"  {fault:<8}{way:<12}{back:>20}{f'{median(noticed):.2f} s' if noticed else '-':>12}"
        f"{median(recovery.redone for recovery in recoveries):>15.0f}{f'{step_s:.3f} s' if step_s else '-':>10}"
    )


if __name__ == "__main__":
    main()
