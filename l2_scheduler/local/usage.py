"""What running jobs really use of the machine, from one walk over `/proc`."""

import os
from collections.abc import Iterable, Iterator
from pathlib import Path

import msgspec

from l2_scheduler.local.attempts import read_keeper
from l2_scheduler.local.shim import proc
from l2_scheduler.schemas import JobStatus

__all__ = ["Usage", "probe_usage"]

TICKS_PER_S = os.sysconf("SC_CLK_TCK")


class Usage(msgspec.Struct, frozen=True, kw_only=True):
    """One job's processes together; `cpu_s` also counts those that have ended, `memory_bytes` is resident."""

    processes: int
    cpu_s: float
    memory_bytes: int


class Seen(msgspec.Struct, frozen=True):
    """One line of `/proc/PID/stat` (proc_pid_stat(5)): parent, start, own and waited-for CPU ticks, pages."""

    parent: int
    start_ticks: int
    ticks: int
    pages: int


def probe_usage(jobs: Iterable[JobStatus]) -> dict[str, Usage]:
    """Measure the jobs whose shim lives, by job id."""
    keepers = {job.job_id: read_keeper(Path(job.directory) / str(job.attempt)) for job in jobs}
    table = dict(walk())
    children: dict[int, list[int]] = {}
    for pid, seen in table.items():
        children.setdefault(seen.parent, []).append(pid)
    return {
        job_id: sum_up(keeper.pid, table, children)
        for job_id, keeper in keepers.items()
        if keeper is not None
        and keeper.boot_id == proc.boot_id()
        and keeper.pid in table
        and table[keeper.pid].start_ticks == keeper.start_ticks
    }


def sum_up(root: int, table: dict[int, Seen], children: dict[int, list[int]]) -> Usage:
    below = list(children.get(root, ()))
    for pid in below:
        below.extend(children.get(pid, ()))
    return Usage(
        processes=len(below),
        cpu_s=sum(table[pid].ticks for pid in (root, *below)) / TICKS_PER_S,
        memory_bytes=sum(table[pid].pages for pid in below) * proc.PAGE_BYTES,
    )


def walk() -> Iterator[tuple[int, Seen]]:
    for pid in proc.pids():
        fields = proc.read_small(f"/proc/{pid}/stat").rpartition(b")")[2].split()
        if fields:
            ticks = sum(map(int, fields[11:15]))
            yield pid, Seen(int(fields[1]), int(fields[19]), ticks, int(fields[21]))
