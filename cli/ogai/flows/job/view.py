"""Which jobs a person wants to see when nothing more is said."""

from collections.abc import Iterable, Sequence

from l2_scheduler.schemas import FINAL_STATES, JobStatus

__all__ = ["RECENT_S", "chosen", "completions", "open_ids"]

RECENT_S = 3600.0


def chosen(
    statuses: Iterable[JobStatus], now: float, *, everything: bool, states: frozenset[str] = frozenset()
) -> tuple[JobStatus, ...]:
    """Pick the open jobs and those that ended in the last hour, or all; of them those in one of `states`, if given."""
    return tuple(
        status
        for status in statuses
        if (everything or status.state not in FINAL_STATES or now - (status.ended_at or now) < RECENT_S)
        and (not states or status.state in states)
    )


def open_ids(statuses: Sequence[JobStatus]) -> frozenset[str]:
    """Return the ids of the jobs, and of the arrays, that have not ended."""
    unfinished = [status for status in statuses if status.state not in FINAL_STATES]
    return frozenset(name for status in unfinished for name in (status.job_id, status.submission))


def completions(statuses: Iterable[JobStatus], typed: str, *, open_only: bool) -> dict[str, str]:
    """Return the ids that may be meant, each with its job's name and state, the newest first.

    An array is one id until its underscore has been typed.
    """
    found: dict[str, str] = {}
    for status in reversed(list(statuses)):
        if open_only and status.state in FINAL_STATES:
            continue
        job_id = status.job_id if "_" in typed else status.submission
        if job_id.startswith(typed):
            array = status.array_index is not None and "_" not in typed
            found.setdefault(job_id, f"{status.job.name} {'array' if array else status.state}")
    return found
