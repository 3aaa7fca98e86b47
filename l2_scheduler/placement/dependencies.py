"""Whether the jobs a job depends on have ended as it wished, and whether they still can."""

from collections import defaultdict
from collections.abc import Iterable, Sequence
from functools import cached_property

from l2_scheduler.placement.decisions import Blocker
from l2_scheduler.placement.order import submission
from l2_scheduler.schemas import FINAL_STATES, Dependency, JobStatus

__all__ = ["Dependencies"]


class Dependencies:
    """The jobs known, by the ids a dependency may name; an array completed when all its elements did.

    `afterok` comes true when all completed, `afternotok` when all ended and one did not complete,
    `afterany` when all ended: of the first two exactly one comes true.
    """

    def __init__(self, jobs: Iterable[JobStatus]) -> None:
        self._jobs = jobs

    @cached_property
    def _named(self) -> dict[str, list[JobStatus]]:
        named: dict[str, list[JobStatus]] = defaultdict(list)
        for status in sorted(self._jobs, key=lambda status: submission(status.job_id)):
            for name in {status.job_id, status.submission}:
                named[name].append(status)
        return named

    def impossible(self, status: JobStatus) -> str | None:
        """Say why the job can never start, if so."""
        reasons = (self._impossible(status.job_id, dependency) for dependency in status.job.depends_on)
        return next((reason for reason in reasons if reason is not None), None)

    def blockers(self, status: JobStatus) -> tuple[Blocker, ...]:
        """Name each dependency that has not come true yet."""
        return tuple(
            _waiting(dependency, unfinished)
            for dependency in status.job.depends_on
            if (unfinished := [s.job_id for s in self._others(dependency) if s.state not in FINAL_STATES])
        )

    def _others(self, dependency: Dependency) -> Sequence[JobStatus]:
        return self._named.get(dependency.job, ())

    def _impossible(self, job_id: str, dependency: Dependency) -> str | None:
        others = self._others(dependency)
        if not others:
            return f"depends on job {dependency.job}, which is not known"
        if any(other.job_id == job_id for other in others):
            return f"depends on job {dependency.job}, which is or contains the job itself"
        failed = [s for s in others if s.state in FINAL_STATES and s.state != "COMPLETED"]
        if dependency.condition == "afterok" and failed:
            return f"depends on job {failed[0].job_id} to complete, but that is {failed[0].state}"
        if dependency.condition == "afternotok" and all(s.state == "COMPLETED" for s in others):
            return f"depends on job {dependency.job} to fail, but that completed"
        return None


def _waiting(dependency: Dependency, unfinished: list[str]) -> Blocker:
    wished = {"afterok": "completed", "afternotok": "ended without completing", "afterany": "ended"}
    return Blocker(
        code="dependency",
        where=f"dependency {dependency.condition} on job {dependency.job}",
        found="not ended yet" if len(unfinished) == 1 else f"{len(unfinished)} of its jobs not ended yet",
        expected=wished[dependency.condition],
        jobs=tuple(unfinished),
    )
