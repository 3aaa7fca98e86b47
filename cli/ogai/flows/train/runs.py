"""Runs as they are: found, judged by their job, their metrics and their checkpoints, ended and taken up again."""

import time
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

import msgspec

from l0_infra.core.errors import UsageError
from l2_scheduler.schemas import JobStatus
from l3_modeltools import (
    Comparison,
    DamagedRun,
    Happened,
    Measured,
    Met,
    Metric,
    OneClock,
    Sample,
    compare_runs,
    expectations,
    find_run,
    hold_run,
    judge_run,
    list_saved,
    read_ends,
    read_faults,
    read_marks,
    read_metrics,
    read_outcome,
    read_samples,
    read_starts,
    scan_runs,
)
from l3_modeltools.schemas import Run
from ogai.flows.engine import open_engine
from ogai.flows.job.logs import LogView, read_logs
from ogai.flows.job.queue import cancel, poll_awake
from ogai.flows.train.place import runs_folder
from ogai.flows.train.submit import queue_again

EVENTS = "events.jsonl"
"""A job's event file, in its folder."""

__all__ = [
    "Told",
    "compare",
    "damaged",
    "find",
    "look",
    "met",
    "metrics",
    "output",
    "poll",
    "resume",
    "samples",
    "stop",
    "wait",
]


def poll() -> tuple[Run, ...]:
    """Return all runs of this person as they are now, the newest first."""
    jobs = jobs_by_id()
    return tuple(judged(run, jobs) for run in reversed(scan_runs(runs_folder()).runs))


def damaged() -> tuple[DamagedRun, ...]:
    """Return the runs of this person whose document cannot be read."""
    return scan_runs(runs_folder()).damaged


def find(reference: str) -> Run:
    """Return the run that `reference` means, as it is now: an id, the beginning of one, or a name (its newest run).

    Raises UsageError with the nearest names.
    """
    return judged(find_run(reference, runs_folder()), jobs_by_id())


def metrics(reference: str) -> tuple[Metric, ...]:
    """Return all metrics of a run, by step."""
    run = find_run(reference, runs_folder())
    directory = Path(run.directory)
    return read_metrics(directory, OneClock(read_marks(directory), run.submitted_at))


def met(reference: str) -> tuple[Met, ...]:
    """Return what was planned of a run beside what was measured of it so far."""
    return expectations(find_run(reference, runs_folder()), metrics(reference))


def samples(reference: str) -> tuple[Sample, ...]:
    """Return what a run's model wrote on the way, by step."""
    return read_samples(Path(find_run(reference, runs_folder()).directory))


def output(reference: str, *, follow: bool = False) -> Iterator[bytes]:
    """Yield what the run's jobs printed, the oldest first; with `follow`, until the last has ended for good."""
    run = find(reference)
    with open_engine() as engine:
        known = {status.job_id for status in engine.poll(())}
        ids = [job_id for job_id in run.job_ids if job_id in known]
        for job_id in ids:
            last = job_id == ids[-1]
            for attempt in range(1, engine.poll([job_id])[0].attempt + (not last)):
                for chunk in read_logs(engine, job_id, LogView(attempt=attempt)):
                    yield chunk.piece.data
            if last:
                for chunk in read_logs(engine, job_id, LogView(), follow=follow):
                    yield chunk.piece.data


def stop(reference: str) -> Run:
    """Let a run save its state and end. Raises UsageError for one that has ended already."""
    run = find(reference)
    if run.state not in ("PENDING", "RUNNING", "SUSPENDED") or not run.job_ids:
        raise UsageError(
            f"run {run.run_id}", found=run.state, expected="a run that waits or runs", hint=next_hint(run)
        )
    cancel([run.job_ids[-1]])
    return find(run.run_id)


def resume(reference: str) -> Run:
    """Queue a run that ended early again; it goes on from its newest sound checkpoint.

    Raises UsageError for one that completed or still waits or runs.
    """
    directory = Path(find(reference).directory)
    with hold_run(directory):
        return queue_again(require_ended(find(directory.name)))


def require_ended(run: Run) -> Run:
    """Return a run that can be taken up again, and refuse any other."""
    alive = run.job_ids and run.state in ("PENDING", "RUNNING", "SUSPENDED")
    if alive or run.state == "COMPLETED":
        raise UsageError(
            f"run {run.run_id}",
            found=f"{run.state}: {run.reason}",
            expected="a run that ended early",
            hint=next_hint(run),
        )
    return run


def wait(reference: str, *, timeout_s: float | None = None) -> Run:
    """Return the run once it has ended. Raises EngineError (retry) after `timeout_s`."""
    run = find(reference)
    if run.job_ids:
        with open_engine() as engine:
            engine.wake()
            engine.wait([run.job_ids[-1]], timeout_s)
    return find(run.run_id)


def compare(*references: str) -> Comparison:
    """Put runs side by side: the fields of their trainings that differ, and what came of each."""
    jobs, folder = jobs_by_id(), runs_folder()
    found = [look(find_run(reference, folder), jobs) for reference in references]
    return compare_runs(*(Measured(run=told.run, metrics=told.metrics) for told in found))


def jobs_by_id() -> Mapping[str, JobStatus]:
    return {status.job_id: status for status in poll_awake()}


@dataclass(frozen=True, kw_only=True, slots=True)
class Told:
    """A run as it is now with all it told, in the time of its node's clock as it is now."""

    run: Run
    happened: Happened
    metrics: tuple[Metric, ...]
    """By step."""
    clock: OneClock


def judged(run: Run, jobs: Mapping[str, JobStatus]) -> Run:
    """Fill in how a run is now."""
    return look(run, jobs).run


def look(run: Run, jobs: Mapping[str, JobStatus]) -> Told:
    """Read what a run told, and fill in how it is now."""
    directory = Path(run.directory)
    clock = OneClock(read_marks(directory), run.submitted_at)
    told, metrics = happened(run, jobs, clock), read_metrics(directory, clock)
    now = judge_run(
        msgspec.structs.replace(run, submitted_at=clock.submitted_at),
        jobs.get(run.job_ids[-1]) if run.job_ids else None,
        read_outcome(directory),
        metrics,
        list_saved(directory),
        happened=told,
        now=time.time(),
    )
    return Told(run=now, happened=told, metrics=metrics, clock=clock)


def happened(run: Run, jobs: Mapping[str, JobStatus], clock: OneClock) -> Happened:
    """Read what happened to a run: the starts of its jobs that are still known, its marks, its faults."""
    known = [jobs[job_id] for job_id in run.job_ids if job_id in jobs]
    events = [Path(job.directory) / EVENTS for job in known]
    return Happened(
        starts=clock.outside(read_starts(events)),
        ends=clock.outside(read_ends(events)),
        submissions=clock.outside([job.submitted_at for job in known]),
        marks=clock.marks,
        faults=clock.faults(read_faults(Path(run.directory))),
    )


def next_hint(run: Run) -> str:
    """Say what makes sense for a run in this state."""
    if run.state == "COMPLETED":
        return f"ogai train sample {run.run_id}; ogai train export {run.run_id} --to DIRECTORY"
    if run.state in ("FAILED", "CANCELLED"):
        return f"ogai train resume {run.run_id}"
    return f"ogai train watch {run.run_id}"
