"""When a job surely ends, as far as its limits say."""

from math import inf

from l2_scheduler.schemas import Job, JobStatus, Queues

__all__ = ["end_if_started", "expected_end", "time_limit_s"]

OVERDUE_S = 1.0


def time_limit_s(job: Job, queues: Queues) -> float | None:
    """Longest run time in seconds: the job's own limit, else the default of its queue; None: no limit."""
    if job.limits.time_s is not None:
        return job.limits.time_s
    return next((queue.default_time_s for queue in queues.queues if queue.name == job.queue), None)


def end_if_started(job: Job, queues: Queues, start: float) -> float:
    """Latest time at which a run that begins at `start` has let go: its limit and its grace later."""
    limit = time_limit_s(job, queues)
    return inf if limit is None else start + limit + job.limits.grace_s


def expected_end(status: JobStatus, queues: Queues, now: float) -> float:
    """Latest end of an active job; one that should have ended already is taken to end in a moment."""
    end = end_if_started(status.job, queues, now if status.started_at is None else status.started_at)
    if status.state == "COMPLETING":
        end = min(end, now + status.job.limits.grace_s)
    return max(end, now + OVERDUE_S)
