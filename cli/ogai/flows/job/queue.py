"""Wishes about jobs, each a call that opens the engine of `OGAI_HOME`, and what came of them."""

import os
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from l0_infra.core.errors import UsageError
from l2_scheduler import Explanation, LocalEngine, Pruned, Verdict
from l2_scheduler.schemas import FINAL_STATES, Job, JobStatus
from ogai.flows.engine import open_engine
from ogai.flows.job.logs import LogView, read_logs

__all__ = [
    "Change",
    "cancel",
    "explain",
    "hold",
    "output",
    "poll",
    "poll_awake",
    "prioritize",
    "prune",
    "rehearse",
    "release",
    "requeue",
    "submit",
    "throttle",
    "wait",
]


References = str | Sequence[str]
"""One id, or several; an array's id means all its elements."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Change:
    """One job after a wish about it: whether the wish changed anything, and how the job is now."""

    changed: bool
    status: JobStatus


def submit(job: Job, *, held: bool = False) -> tuple[JobStatus, ...]:
    """Put a job into the queue with this process's environment and directory; return it, or its array's elements.

    Raises DocumentError, UsageError or UnsatisfiableError for a job that can never run here; nothing is queued then.
    """
    with open_engine() as engine:
        ids = engine.submit(job, environment=os.environ, directory=here(), held=held)
        return engine.poll([ids[0].partition("_")[0]])


def rehearse(job: Job, *, held: bool = False) -> tuple[JobStatus, Verdict]:
    """Say what `submit` would queue and what would become of it now; raises what `submit` raises, changes nothing."""
    with open_engine() as engine:
        return engine.rehearse(job, environment=os.environ, directory=here(), held=held)


def poll(references: References = ()) -> tuple[JobStatus, ...]:
    """Return all jobs, or those named; an array's id names all its elements. Raises UsageError for an unknown id."""
    with open_engine() as engine:
        return engine.poll(listed(references))


def poll_awake(references: References = ()) -> tuple[JobStatus, ...]:
    """Poll, and see to it that an agent lives if jobs are open."""
    with open_engine() as engine:
        statuses = engine.poll(listed(references))
        if any(status.state not in FINAL_STATES for status in statuses):
            engine.wake()
        return statuses


def wait(references: References, *, timeout_s: float | None = None) -> tuple[JobStatus, ...]:
    """Return the jobs once all have ended. Raises EngineError (retry) after `timeout_s`."""
    with open_engine() as engine:
        engine.wake()
        return engine.wait(listed(references), timeout_s)


def output(job_id: str, *, task: int | None = None, follow: bool = False) -> Iterator[bytes]:
    """Yield what a job printed, as it was printed; with `follow`, until it has ended for good.

    Raises UsageError for an unknown id, for an array, and for a task that the job does not have.
    """
    with open_engine() as engine:
        for chunk in read_logs(engine, job_id, LogView(task=task), follow=follow):
            yield chunk.piece.data


def explain(reference: str) -> Explanation:
    """Say what keeps a waiting job waiting, and the smallest changes that would start it."""
    with open_engine() as engine:
        return engine.explain(reference)


def cancel(references: References, *, now: bool = False) -> tuple[Change, ...]:
    """End jobs: waiting ones at once, running ones by SIGTERM, their grace, SIGKILL (`now`: SIGKILL at once)."""
    return _change(references, lambda engine: engine.cancel(listed(references), now=now))


def hold(references: References) -> tuple[Change, ...]:
    """Keep waiting jobs from starting."""
    return _change(references, lambda engine: engine.hold(listed(references)))


def release(references: References) -> tuple[Change, ...]:
    """Let held or backed-off jobs start."""
    return _change(references, lambda engine: engine.release(listed(references)))


def requeue(references: References) -> tuple[Change, ...]:
    """Run jobs again from the start: ended ones at once, running ones after they have been ended."""
    return _change(references, lambda engine: engine.requeue(listed(references)))


def prioritize(references: References, priority: int) -> tuple[Change, ...]:
    """Set the priority of waiting jobs."""
    return _change(references, lambda engine: engine.prioritize(listed(references), priority))


def throttle(array: str, most: int | None) -> None:
    """Set how many elements of an array run at once; None: as many as fit. Raises UsageError for other jobs."""
    with open_engine() as engine:
        engine.throttle(array, most)


def prune(*, older_than_s: float, apply: bool) -> tuple[Pruned, ...]:
    """Name the jobs that ended longer ago than that, with the bytes they take; forget them if `apply`."""
    with open_engine() as engine:
        return engine.prune(older_than_s=older_than_s, apply=apply)


def _change(references: References, wish: Callable[[LocalEngine], tuple[str, ...]]) -> tuple[Change, ...]:
    with open_engine() as engine:
        changed = frozenset(wish(engine))
        statuses = {status.job_id: status for status in engine.poll(listed(references))}
        return tuple(Change(changed=job_id in changed, status=status) for job_id, status in statuses.items())


def listed(references: References) -> Sequence[str]:
    """Take one id for what it is; as a sequence `"12"` would be the jobs 1 and 2."""
    return (references,) if isinstance(references, str) else references


def here() -> Path:
    """Return the current folder, where a job runs that names no other. Raises UsageError if none can be named."""
    try:
        folder = Path.cwd()
        str(folder).encode()
    except FileNotFoundError:
        found = "the current folder, which was removed"
    except UnicodeEncodeError:
        found = "the current folder, whose name is not UTF-8"
    else:
        return folder
    raise UsageError("directory", found=found, expected="a folder to run in", hint="cd to another one")
