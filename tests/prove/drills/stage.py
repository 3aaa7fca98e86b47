"""A run under its supervisor, kept going as a job's engine would; and a neighbour that disturbs it."""

import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

import msgspec

from l0_infra.core.documents import parse_document, render_json
from l3_modeltools.runs import Metric, RunLayout, read_metrics
from l3_modeltools.runs.metric import parse_metrics
from l3_modeltools.schemas import Checkpointing, Resilience, Run, SkippedSteps, Train, Validation
from tests.support.rank_runs import make_data, recut, small_train

__all__ = [
    "ROOT",
    "Supervised",
    "demo_training",
    "last_step",
    "make_run",
    "noise",
    "small_training",
    "told_last",
]

ROOT = Path(__file__).parents[3]
DEMO = ROOT / "examples" / "tiny_llama"
SUPERVISOR = "l3_modeltools.resilience.supervisor"
FINAL = (0, 2, 3, 4, 6)
SIGNALLED = 128
GRACE_S = 120.0
SETTINGS = (
    "steps=1000000",
    "data.sequence_length=64",
    "data.global_batch_size=4",
    "validation.every_steps=1000000",
    "validation.prompts=[]",
    "checkpoint.every_steps=100",
    "checkpoint.keep_last=3",
    "optimizer.schedule.warmup_steps=500",
    "resilience.max_restarts=1000000",
    "resilience.on_spike=skip_batches",
    "resilience.on_not_finite=skip_batches",
)
"""What makes of the demo's training one of short steps and no end, in which everything may happen often."""


def environment(home: Path) -> dict[str, str]:
    return {
        **os.environ,
        "OGAI_HOME": str(home),
        "OMP_NUM_THREADS": "1",
        "HF_HUB_OFFLINE": "1",
        "PYTHONPATH": os.pathsep.join(map(str, (ROOT, ROOT / "cli"))),
    }


def demo_training(home: Path) -> Train:
    """Prepare the demo's data in `home`, and return its training with short steps."""
    ogai = [sys.executable, "-m", "ogai"]
    options = {"cwd": DEMO, "env": environment(home), "capture_output": True, "text": True}
    subprocess.run([*ogai, "data", "prepare", "corpus.yaml"], check=True, **options)  # type: ignore[call-overload]
    settings = [word for setting in SETTINGS for word in ("--set", setting)]
    command = [*ogai, "train", "submit", "train.yaml", "--dry-run", "-o", "yaml", *settings]
    text = subprocess.run(command, check=True, **options).stdout  # type: ignore[call-overload]
    return parse_document(text, source="the demo's training", expect=Train)


def small_training(folder: Path) -> Train:
    """Make a training of a few thousand parameters on a pattern, for who has no minutes."""
    train = recut(small_train(make_data(folder / "pattern"), steps=1_000_000), ranks=2)
    return msgspec.structs.replace(
        train,
        checkpoint=Checkpointing(every_steps=50),
        resilience=Resilience(max_restarts=1_000_000, on_spike="skip_batches", on_not_finite="skip_batches"),
        validation=Validation(every_steps=1_000_000),
    )


def make_run(directory: Path, train: Train, *, skipped: tuple[SkippedSteps, ...] = ()) -> Path:
    """Write the document of a run that has not begun."""
    directory.mkdir(parents=True)
    run = Run(
        run_id=directory.name,
        train=train,
        directory=str(directory),
        submitted_at=time.time(),
        skipped=skipped,
    )
    RunLayout(directory).document.write_text(render_json(run))
    return directory


@dataclass
class Supervised:
    """The supervisor of the run in `directory`; one that ends without an end of its own is started again."""

    directory: Path
    variables: Mapping[str, str] = field(default_factory=dict)
    """What its environment has beside the usual."""
    starts: int = 0
    exit_codes: list[int] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.process = self._start()

    def is_alive(self) -> bool:
        """Say whether the run goes on, and see to it that it does."""
        code = self.process.poll()
        if code is None:
            return True
        self.exit_codes.append(code)
        if code in FINAL or code >= SIGNALLED:
            return False
        self.process = self._start()
        return True

    def wait_for_step(self, step: int, *, limit_s: float) -> bool:
        """Wait until a step is done; return whether it was."""
        until = time.monotonic() + limit_s
        while self.is_alive() and time.monotonic() < until:
            if last_step(self.directory) >= step:
                return True
            time.sleep(0.2)
        return False

    def stop(self) -> None:
        """End the run as an engine does: it saves before."""
        if self.process.poll() is None:
            self.process.send_signal(signal.SIGTERM)
            try:
                self.process.wait(GRACE_S)
            except subprocess.TimeoutExpired:
                self.process.kill()
                self.process.wait()

    def _start(self) -> subprocess.Popen[bytes]:
        self.starts += 1
        with (self.directory / "log").open("a") as log:
            return subprocess.Popen(
                [sys.executable, "-m", SUPERVISOR, str(self.directory)],
                env={**environment(self.directory.parent), **self.variables},
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=log,
            )


def last_step(directory: Path) -> int:
    """Return the last step that was told, looking at the end of the file alone."""
    try:
        with RunLayout(directory).metrics.open("rb") as file:
            file.seek(max(0, file.seek(0, os.SEEK_END) - 4096))
            lines = file.read().splitlines()
    except FileNotFoundError:
        return 0
    return max((metric.step for line in lines[1:] for metric in parse_metrics(line)), default=0)


def told_last(directory: Path) -> dict[int, Metric]:
    """Return the last word on each step."""
    return {metric.step: metric for metric in read_metrics(directory)}


@contextmanager
def noise(folder: Path, *, seed: int) -> Iterator[None]:
    """Have a neighbour that is busy in bursts: CPU, memory and disk, never more than it says."""
    folder.mkdir(exist_ok=True)
    neighbour = subprocess.Popen(
        [sys.executable, str(Path(__file__).with_name("neighbour.py")), str(folder), str(seed)]
    )
    try:
        yield
    finally:
        neighbour.kill()
        neighbour.wait()
