"""An engine of its own for a benchmark: its home, its ledger, and how long things took."""

import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from statistics import median

from l2_scheduler import LocalEngine
from l2_scheduler.schemas import FINAL_STATES, Job, Resources
from ogai.flows.engine import open_engine

__all__ = ["Lab", "median_ms", "print_table", "seconds"]


class Lab:
    """A folder with an engine, and a FIFO by which jobs say that they run."""

    def __init__(self, folder: Path, engine: LocalEngine) -> None:
        self.folder = folder
        self.engine = engine
        self.cpus = engine.probe().cpus
        self.fifo = folder / "up"
        os.mkfifo(self.fifo)
        self.ear = os.open(self.fifo, os.O_RDWR)

    @staticmethod
    @contextmanager
    def open() -> Iterator["Lab"]:
        """Open a lab, and leave nothing of it."""
        with tempfile.TemporaryDirectory(prefix="ogai-bench-") as name:
            folder = Path(name)
            os.environ |= {"OGAI_HOME": str(folder / "home"), "OGAI_LEDGER": str(folder / "ledger")}
            with open_engine() as engine:
                try:
                    yield Lab(folder, engine)
                finally:
                    open_jobs = [s.job_id for s in engine.poll() if s.state not in FINAL_STATES]
                    engine.cancel(open_jobs, now=True)
                    engine.wait(open_jobs, 60)
                    engine.stop_agent()

    @property
    def say_up(self) -> tuple[str, ...]:
        """The command of a job that only says that it runs."""
        return ("sh", "-c", f"echo > {self.fifo}")

    def until_up(self, act: Callable[[], object]) -> float:
        """Return the seconds from the begin of `act` to the word of the job it started."""
        begun = time.perf_counter()
        act()
        os.read(self.ear, 1)
        return time.perf_counter() - begun

    def submit(self, *command: str, cpus: int = 1, **fields: object) -> tuple[str, ...]:
        """Submit through the API."""
        job = Job(name="bench", command=command, resources=Resources(cpus_per_task=cpus), **fields)  # type: ignore[arg-type]
        return self.engine.submit(job, environment=os.environ, directory=self.folder)

    def ogai(self, *words: str) -> None:
        """Run the command line once."""
        subprocess.run([sys.executable, "-m", "ogai", *words], check=True, capture_output=True)


def seconds(act: Callable[[], object]) -> float:
    """Return how long `act` takes."""
    begun = time.perf_counter()
    act()
    return time.perf_counter() - begun


def median_ms(measure: Callable[[], float], rounds: int) -> float:
    """Measure a few times after one that warms up; return the median in milliseconds."""
    measure()
    return median(measure() for _ in range(rounds)) * 1000


def print_table(title: str, rows: Sequence[tuple[str, float | None, str]], *, unit: str) -> None:
    """Print rows of name, number and note; each number also as a ratio to the first row's."""
    base = rows[0][1]
    print(title)
    for name, number, note in rows:
        if number is None:
            print(f"  {name:<44}{'—':>10}     {note}")
            continue
        ratio = f"{number / base:8.2f} ×" if base else ""
        print(f"  {name:<44}{number:10,.2f} {unit}{ratio:>11}  {note}")
    print(flush=True)
