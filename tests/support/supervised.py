"""Runs of models of a few thousand parameters under a real supervisor, whose ranks a test kills and lets hang."""

import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from l3_modeltools.runs import read_faults, read_marks
from l3_modeltools.schemas import TrainingFault
from tests.support.rank_runs import TIMEOUT_S, descendants, kill_all, read_told

__all__ = ["Supervised", "supervised", "wait_until"]

ROOT = Path(__file__).parents[2]


@dataclass(frozen=True, kw_only=True, slots=True)
class Supervised:
    """A run under supervision."""

    run: Path
    process: subprocess.Popen[bytes]

    @property
    def log(self) -> str:
        """What it printed."""
        return (self.run / "log").read_text()

    @property
    def faults(self) -> tuple[TrainingFault, ...]:
        return read_faults(self.run)

    @property
    def sources(self) -> list[tuple[int | None, str | None]]:
        """Of each start of the ranks: after which step, and from where."""
        return [(mark.step, mark.source) for mark in read_marks(self.run) if mark.mark == "ready"]

    @property
    def nursery(self) -> int:
        return children(self.process.pid)[0]

    @property
    def ranks(self) -> list[int]:
        """Processes of the ranks, in order."""
        return sorted(children(self.nursery))

    def step(self) -> int:
        """Return the last step that was told."""
        return max(read_told(self.run), default=0)

    def wait_for_step(self, step: int) -> None:
        self.wait_until(lambda: self.step() >= step)

    def wait_until(self, ready: Callable[[], bool]) -> None:
        """Wait until it is so; it must come while the run lives."""
        wait_until(lambda: ready() or self.process.poll() is not None)
        assert ready(), self.log

    def signal_rank(self, rank: int, number: signal.Signals) -> None:
        os.kill(self.ranks[rank], number)

    def end(self) -> int:
        """Wait for its end; return the exit code."""
        return self.process.wait(TIMEOUT_S)


@contextmanager
def supervised(run: Path, **environment: str) -> Iterator[Supervised]:
    """Supervise a run that `make_run` wrote; nothing of it is left behind."""
    paths = os.pathsep.join(map(str, (ROOT, ROOT / "cli")))
    given = {
        **os.environ,
        "OMP_NUM_THREADS": "1",
        "PYTHONPATH": paths,
        "OGAI_HOME": str(run.parent / "home"),
        **environment,
    }
    with (run / "log").open("a") as log:
        process = subprocess.Popen(
            [sys.executable, "-m", "l3_modeltools.resilience.supervisor", str(run)],
            env=given,
            stdout=log,
            stderr=log,
        )
    try:
        yield Supervised(run=run, process=process)
    finally:
        left = [process.pid, *descendants(process.pid)]
        kill_all(process.pid)
        process.wait()
        wait_until(lambda: not any(Path(f"/proc/{pid}").exists() for pid in left))


def wait_until(ready: Callable[[], bool]) -> None:
    """Wait until it is so. Raises TimeoutError."""
    deadline = time.monotonic() + TIMEOUT_S
    while not ready():
        if time.monotonic() > deadline:
            raise TimeoutError
        time.sleep(0.01)


def children(pid: int) -> list[int]:
    return [
        int(child)
        for task in Path(f"/proc/{pid}/task").iterdir()
        for child in (task / "children").read_text().split()
    ]
