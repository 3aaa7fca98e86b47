"""Shorthands for tests that drive a real engine."""

import os
import stat
import sys
import time
from collections.abc import Callable
from pathlib import Path

from l2_scheduler import LocalEngine
from l2_scheduler.schemas import Job, JobStatus

CPUS = len(os.sched_getaffinity(0))
TIMEOUT_S = 30.0


def eventually(condition: Callable[[], bool], *, patience_s: float = TIMEOUT_S) -> None:
    """Wait for something real to happen; far longer than it should take, as the machine may be busy."""
    deadline = time.monotonic() + patience_s
    while not condition():
        if time.monotonic() > deadline:
            raise TimeoutError("it never happened")
        time.sleep(0.02)


class World:
    """An engine with shorthands for tests."""

    def __init__(self, engine: LocalEngine, folder: Path) -> None:
        self.engine = engine
        self.folder = folder

    def submit(self, *command: str, **fields: object) -> str:
        """Submit one job and return its id; an array's is that of the whole."""
        job = Job(name="test", command=command, **fields)  # type: ignore[arg-type]
        ids = self.engine.submit(job, environment=dict(os.environ), directory=self.folder)
        return ids[0].partition("_")[0]

    def wait(self, *ids: str) -> tuple[JobStatus, ...]:
        return self.engine.wait(ids, TIMEOUT_S)

    def status(self, job_id: str) -> JobStatus:
        return self.engine.poll([job_id])[0]

    def until(self, job_id: str, state: str) -> JobStatus:
        deadline = time.monotonic() + TIMEOUT_S
        while (status := self.status(job_id)).state != state:
            if time.monotonic() > deadline:
                raise TimeoutError(f"job {job_id} is {status.state} ({status.reason}), not {state}")
            time.sleep(0.02)
        return status

    def log(self, job_id: str, attempt: int = 1) -> str:
        return (self.engine.layout.attempt(job_id, attempt) / "task-0.log").read_text()


def has_run(world: World) -> bool:
    """Tell whether the job that writes a line into `runs` has done so once."""
    runs = world.folder / "runs"
    return runs.exists() and runs.read_text() == "run\n"


ENDING_S = 5.0
"""How long a supervisor of a command may take to end what it ran, after its result came, on a busy machine."""


def processes_of(home: Path) -> list[str]:
    """List what runs of this home and does not end by itself within moments: agent, shims, tasks."""
    end = time.monotonic() + ENDING_S
    while (found := _processes_now(home)) and time.monotonic() < end:
        time.sleep(0.05)
    return found


def _processes_now(home: Path) -> list[str]:
    found = []
    for entry in Path("/proc").iterdir():
        if not entry.name.isdecimal() or entry.name == str(os.getpid()):
            continue
        try:
            text = (entry / "environ").read_bytes() + (entry / "cmdline").read_bytes()
        except OSError:
            continue
        if str(home).encode() in text:
            found.append(f"{entry.name} {(entry / 'cmdline').read_bytes()!r}")
    return found


def write_tool(folder: Path, name: str, script: str) -> None:
    """Put a program of ours on PATH, in the place of a vendor's."""
    tool = folder / name
    tool.write_text(f"#!{sys.executable}\n{script}")
    tool.chmod(tool.stat().st_mode | stat.S_IXUSR)
