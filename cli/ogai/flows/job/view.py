"""Which jobs a person wants to see when nothing more is said."""

from collections.abc import Iterable, Sequence

from l2_scheduler.schemas import FINAL_STATES, JobStatus

__all__ = ["RECENT_S", "chosen", "open_ids"]

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
