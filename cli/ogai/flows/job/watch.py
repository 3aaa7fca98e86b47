"""What the live view shows: the machine, what runs on it and what waits, looked at again and again."""

import os
import time
from dataclasses import dataclass
from pathlib import Path

from l1_podsys.schemas import ClusterState
from l2_scheduler import Blocker, LocalEngine, Usage
from l2_scheduler.schemas import ACTIVE_STATES, JobStatus

__all__ = ["Running", "Scene", "Waiting", "Watch"]


@dataclass(frozen=True, kw_only=True, slots=True)
class Running:
    """One running job; `cpu_share` is in CPUs (1.5: one and a half), None before the first measurement."""

    status: JobStatus
    usage: Usage | None
    cpu_share: float | None


@dataclass(frozen=True, kw_only=True, slots=True)
class Waiting:
    """One waiting job, and the first thing that keeps it waiting; None: it starts in the next pass."""

    status: JobStatus
    blocker: Blocker | None


@dataclass(frozen=True, kw_only=True, slots=True)
class Scene:
    """Everything at one moment: `now` in seconds since the epoch, load as getloadavg(3) gives it."""

    now: float
    cluster: ClusterState
    load: float
    memory_used_bytes: int
    running: tuple[Running, ...]
    waiting: tuple[Waiting, ...]


class Watch:
    """Looks at an engine; from the second look on CPU shares are those since the look before."""

    def __init__(self, engine: LocalEngine) -> None:
        self.engine = engine
        self.before: dict[str, tuple[float, Usage]] = {}

    def look(self) -> Scene:
        """Take one scene, and see to it that an agent lives if jobs are open."""
        survey, usage, now = self.engine.survey(), self.engine.usage(), time.time()
        blockers = {wait.job_id: wait.blockers for wait in survey.decisions.waits}
        pending = [status for status in survey.jobs if status.state == "PENDING"]
        active = [status for status in survey.jobs if status.state in ACTIVE_STATES]
        if pending or active:
            self.engine.wake()
        scene = Scene(
            now=now,
            cluster=survey.cluster,
            load=os.getloadavg()[0],
            memory_used_bytes=memory_used_bytes(),
            running=tuple(self.measured(status, usage.get(status.job_id), now) for status in active),
            waiting=tuple(
                Waiting(status=status, blocker=next(iter(blockers.get(status.job_id, ())), None))
                for status in pending
            ),
        )
        self.before = {job_id: (now, seen) for job_id, seen in usage.items()}
        return scene

    def measured(self, status: JobStatus, usage: Usage | None, now: float) -> Running:
        """Put a job and its use together; at the first look the share is that since its start."""
        if usage is None:
            return Running(status=status, usage=None, cpu_share=None)
        since, cpu_s = status.started_at or now, 0.0
        if status.job_id in self.before:
            since, cpu_s = self.before[status.job_id][0], self.before[status.job_id][1].cpu_s
        passed = now - since
        share = max(0.0, usage.cpu_s - cpu_s) / passed if passed > 0.05 else None
        return Running(status=status, usage=usage, cpu_share=share)


def memory_used_bytes() -> int:
    """Return the machine's memory that is not available to new programs (proc_meminfo(5))."""
    lines = (line.split() for line in Path("/proc/meminfo").read_text().splitlines())
    kib = {fields[0].rstrip(":"): int(fields[1]) for fields in lines}
    return (kib["MemTotal"] - kib.get("MemAvailable", kib["MemFree"])) * 1024
