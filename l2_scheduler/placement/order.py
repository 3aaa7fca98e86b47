"""Who comes first: effective priority, then order of submission."""

from collections.abc import Iterable

from l2_scheduler.schemas import JobStatus, Queues

__all__ = ["effective_priority", "in_order", "submission"]

SECONDS_PER_HOUR = 3600.0


def submission(job_id: str) -> tuple[int, int]:
    """Sort key of a job id: its number, then its array index (a whole array before its elements)."""
    number, _, index = job_id.partition("_")
    return int(number), int(index or -1)


def effective_priority(status: JobStatus, queues: Queues, now: float) -> float:
    """Priority of the job plus that of its queue plus what it gained by waiting until `now`.

    Every waiting job gains at the same rate, so two waiting jobs never change places by time alone.
    """
    queue = next((queue.priority for queue in queues.queues if queue.name == status.job.queue), 0)
    age_hours = (now - status.submitted_at) / SECONDS_PER_HOUR
    return status.priority + queue + queues.age_points_per_hour * age_hours


def in_order(pending: Iterable[JobStatus], queues: Queues, now: float) -> list[JobStatus]:
    """Sort by effective priority, highest first; equal ones in order of submission."""
    base = {queue.name: queue.priority for queue in queues.queues}
    rate = queues.age_points_per_hour / SECONDS_PER_HOUR
    keyed = [
        (
            rate * (status.submitted_at - now) - status.priority - base.get(status.job.queue, 0),
            submission(status.job_id),
            status,
        )
        for status in pending
    ]
    keyed.sort(key=_first_two)
    return [status for _, _, status in keyed]


def _first_two(entry: tuple[float, tuple[int, int], JobStatus]) -> tuple[float, tuple[int, int]]:
    return entry[0], entry[1]
