"""Forgetting ended jobs: first as a plan, then for real."""

import contextlib
import os
import shutil
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from l2_scheduler.local.queue import JobQueue
from l2_scheduler.local.records import Record
from l2_scheduler.schemas import FINAL_STATES

__all__ = ["Pruned", "plan_prune", "prune"]


@dataclass(frozen=True, kw_only=True, slots=True)
class Pruned:
    """One job that may be forgotten, and the bytes its folder takes."""

    job_id: str
    name: str
    state: str
    ended_at: float
    size_bytes: int


def plan_prune(records: Iterable[Record], older_than_s: float, now: float) -> tuple[Record, ...]:
    """Pick jobs that ended more than `older_than_s` ago and that no open job waits for."""
    everything = tuple(records)
    awaited = {
        dependency.job
        for record in everything
        if record.status.state not in FINAL_STATES
        for dependency in record.status.job.depends_on
    }
    return tuple(
        record
        for record in everything
        if record.status.state in FINAL_STATES
        and now - (record.status.ended_at or 0.0) >= older_than_s
        and not awaited & {record.job_id, str(record.submission)}
    )


def describe(record: Record) -> Pruned:
    """Measure what a job takes on disk."""
    status = record.status
    return Pruned(
        job_id=status.job_id,
        name=status.job.name,
        state=status.state,
        ended_at=status.ended_at or 0.0,
        size_bytes=size_of(Path(status.directory)),
    )


def prune(queue: JobQueue, records: Iterable[Record], *, apply: bool) -> tuple[Pruned, ...]:
    """Say what is forgotten, and forget it if `apply`: rows first, then folders, so that no row outlives its folder."""
    chosen = tuple(records)
    described = tuple(map(describe, chosen))
    if apply:
        for path in queue.remove(record.job_id for record in chosen):
            discard(path)
    return described


def discard(path: Path) -> None:
    if path.is_dir():
        shutil.rmtree(path, ignore_errors=True)
    else:
        path.unlink(missing_ok=True)


def size_of(folder: Path) -> int:
    """Add up the disk blocks of a folder's files."""
    total = 0
    for parent, _, names in os.walk(folder):
        for name in names:
            with contextlib.suppress(OSError):
                total += (Path(parent) / name).lstat().st_blocks * 512
    return total
