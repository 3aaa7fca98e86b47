"""The inputs of `decide` as one value, so that `why` can ask what another world would do."""

from collections.abc import Callable
from math import inf

from msgspec import Struct, structs

from l1_podsys.schemas import ClusterState
from l2_scheduler.placement.decide import decide
from l2_scheduler.placement.decisions import Decisions
from l2_scheduler.placement.ends import expected_end
from l2_scheduler.placement.order import in_order
from l2_scheduler.schemas import ACTIVE_STATES, JobStatus, Queues

__all__ = ["World", "applied"]


Test = Callable[[JobStatus], bool]
Change = Callable[[JobStatus], JobStatus]


class World(Struct, frozen=True, kw_only=True):
    """A cluster, its queues, all jobs known, and the time in seconds since the epoch."""

    cluster: ClusterState
    queues: Queues
    jobs: tuple[JobStatus, ...]
    now: float

    def decide(self) -> Decisions:
        """Ask the placement for this world."""
        return decide(self.cluster, self.queues, self.jobs, self.now)

    def starts(self, job_id: str) -> bool:
        """Whether the job would start now."""
        return any(start.job_id == job_id for start in self.decide().starts)

    def find(self, job_id: str) -> JobStatus | None:
        """The job of this id, if it is known."""
        return next((status for status in self.jobs if status.job_id == job_id), None)

    def changed(self, wanted: Test, change: Change) -> "World":
        """The world in which each wanted job is changed."""
        return structs.replace(self, jobs=tuple(change(s) if wanted(s) else s for s in self.jobs))

    def edited(self, job_id: str, **changes: object) -> "World":
        """The world in which these fields of one job are others."""
        return self.changed(lambda status: status.job_id == job_id, lambda s: structs.replace(s, **changes))

    def until(self, job_id: str) -> "World":
        """The world with the waiting jobs behind this one held: they have no say in whether it starts."""
        pending = in_order((s for s in self.jobs if s.state == "PENDING"), self.queues, self.now)
        ids = [status.job_id for status in pending]
        behind = set(ids[ids.index(job_id) + 1 :])
        return self.changed(lambda status: status.job_id in behind, lambda s: structs.replace(s, held=True))

    def next_end(self) -> float:
        """When the next active job has ended at the latest; infinity if nobody can say."""
        active = (status for status in self.jobs if status.state in ACTIVE_STATES)
        return min((expected_end(status, self.queues, self.now) for status in active), default=inf)

    def at(self, time: float) -> "World":
        """The world at a later time, when each active job that ends by then completed."""

        def over(status: JobStatus) -> bool:
            return status.state in ACTIVE_STATES and expected_end(status, self.queues, self.now) <= time

        ended = self.changed(over, lambda status: structs.replace(status, state="COMPLETED", ended_at=time))
        return structs.replace(ended, now=time)


def applied(world: World, decisions: Decisions) -> World:
    """The world after these decisions were carried out."""
    starts = {start.job_id: start.allocation for start in decisions.starts}
    cancels = {cancel.job_id for cancel in decisions.cancels}

    def after(status: JobStatus) -> JobStatus:
        if status.job_id in cancels:
            return structs.replace(status, state="CANCELLED", ended_at=world.now)
        allocation = starts[status.job_id]
        return structs.replace(status, state="RUNNING", started_at=world.now, allocation=allocation)

    return world.changed(lambda status: status.job_id in starts or status.job_id in cancels, after)
