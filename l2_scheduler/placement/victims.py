"""Which single running job would make room for a waiting one, the one with the least to lose first."""

from collections.abc import Iterator, Sequence, Set
from itertools import islice

from l2_scheduler.placement.decisions import Blocker
from l2_scheduler.placement.fit import Amount, Shape
from l2_scheduler.placement.free import Books
from l2_scheduler.placement.order import submission
from l2_scheduler.placement.world import World
from l2_scheduler.schemas import ACTIVE_STATES, JobStatus

__all__ = ["victims"]

TRIED_AT_MOST = 32


def victims(world: World, status: JobStatus, blockers: Sequence[Blocker]) -> Iterator[str]:
    """Ids of active jobs each of which alone may be enough, as far as a look at the nodes tells."""
    codes = {blocker.code for blocker in blockers}
    active = (other for other in world.jobs if other.state in ACTIVE_STATES)
    related = sorted((other for other in active if _related(other, status, codes)), key=_loss)
    makes_room = _RoomWithout(world, Shape.of(status.job.resources))
    able = (other.job_id for other in related if makes_room.without(other.job_id))
    return islice(able, TRIED_AT_MOST)


def _related(other: JobStatus, status: JobStatus, codes: Set[str]) -> bool:
    if "throttle" in codes:
        return other.submission == status.submission
    return "queue_limit" not in codes or other.job.queue == status.job.queue


def _loss(status: JobStatus) -> tuple[int, int, int, float, tuple[int, int]]:
    """Order jobs by priority, then by what they hold, then the youngest first."""
    gpus = sum(len(share.accelerators) for share in status.allocation)
    cpus = sum(share.cpus for share in status.allocation)
    return status.priority, gpus, cpus, -(status.started_at or 0.0), submission(status.job_id)


class _RoomWithout:
    """How many nodes would serve a shape if one job let go."""

    def __init__(self, world: World, shape: Shape) -> None:
        self._shape = shape
        active = [(status, world.now) for status in world.jobs if status.state in ACTIVE_STATES]
        books = Books(world.cluster, active)
        self._free = books.room.amounts
        self._able = sum(amount.holds(shape.need) for amount in self._free)
        self._held: dict[str, dict[int, Amount]] = {}
        for holding in books.holdings:
            self._held.setdefault(holding.job_id, {})[holding.node] = holding.amount

    def without(self, job_id: str) -> bool:
        """Whether the shape would find its nodes."""
        need = self._shape.need
        more = sum(
            not self._free[node].holds(need) and self._free[node].plus(amount).holds(need)
            for node, amount in self._held.get(job_id, {}).items()
        )
        return self._able + more >= self._shape.nodes
