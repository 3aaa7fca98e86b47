"""Whether a job may start at all, whatever is free: hold, dependencies, back-off, throttle, queue."""

from collections import Counter
from collections.abc import Iterable

from l2_scheduler.placement.decisions import Blocker
from l2_scheduler.placement.dependencies import Dependencies
from l2_scheduler.placement.ends import time_limit_s
from l2_scheduler.placement.fit import Shape
from l2_scheduler.placement.quota import Quota, use_of
from l2_scheduler.schemas import ACTIVE_STATES, JobStatus, Queues

__all__ = ["Gate", "no_such_queue"]

HELD = Blocker(code="held", where="hold", found="held back by a person", expected="released")


class Gate:
    """Keeps count of what runs and of what was started in this pass."""

    def __init__(self, queues: Queues, jobs: Iterable[JobStatus], now: float) -> None:
        self._queues = queues
        self._now = now
        self._running_of_array: Counter[str] = Counter()
        self._quotas = {queue.name: Quota(queue) for queue in queues.queues}
        self.dependencies = Dependencies(jobs)
        for status in jobs:
            if status.state in ACTIVE_STATES:
                self.count(status, Shape.of(status.job.resources))

    def count(self, status: JobStatus, shape: Shape) -> None:
        """Count a job that runs or starts."""
        self._running_of_array[status.submission] += 1
        if (quota := self._quotas.get(status.job.queue)) is not None:
            quota.hold(use_of(shape))

    def set_aside(self, status: JobStatus, shape: Shape) -> None:
        """Keep the queue's limits open for the first job that waits for resources."""
        self._quotas[status.job.queue].set_aside(use_of(shape))

    def blockers(self, status: JobStatus) -> tuple[Blocker, ...]:
        """Name what keeps the job from starting, whatever it asks for."""
        job = status.job
        found: tuple[Blocker, ...] = (HELD,) if status.held else ()
        if job.depends_on:
            found += self.dependencies.blockers(status)
        if status.not_before is not None and status.not_before > self._now:
            found += (_backoff(status.not_before, self._now),)
        if job.array is not None and job.array.throttle is not None:
            found += self._throttled(status.submission, job.array.throttle)
        if job.queue not in self._quotas:
            found += (no_such_queue(job.queue, self._queues),)
        return found

    def queue_blockers(self, status: JobStatus, shape: Shape) -> tuple[Blocker, ...]:
        """Name the limits of its queue that the job would break now."""
        quota = self._quotas[status.job.queue]
        return () if quota.open else quota.blockers(use_of(shape), time_limit_s(status.job, self._queues))

    def _throttled(self, array: str, throttle: int) -> tuple[Blocker, ...]:
        running = self._running_of_array[array]
        if running < throttle:
            return ()
        found, expected = f"{running} of its elements running", f"fewer than {throttle}"
        return (Blocker(code="throttle", where=f"array {array}", found=found, expected=expected),)


def no_such_queue(name: str, queues: Queues) -> Blocker:
    """The job names a queue that does not exist."""
    known = ", ".join(queue.name for queue in queues.queues)
    return Blocker(code="no_such_queue", where="queue", found=name, expected=f"one of {known}")


def _backoff(not_before: float, now: float) -> Blocker:
    found = f"{not_before - now:.0f} s of the wait before the next try are left"
    return Blocker(code="backoff", where="retry", found=found, expected="none left", until=not_before)
