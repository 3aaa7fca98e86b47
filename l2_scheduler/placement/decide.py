"""Who starts now: one pass over the waiting jobs, in order, with backfill behind the first that must wait."""

from collections.abc import Sequence
from math import isinf

from msgspec import structs

from l1_podsys.schemas import ClusterState
from l2_scheduler.placement.backfill import SetAside, reserve
from l2_scheduler.placement.decisions import Blocker, Cancel, Decisions, Reservation, Start, Wait
from l2_scheduler.placement.eligible import Gate, no_such_queue
from l2_scheduler.placement.ends import end_if_started, expected_end, time_limit_s
from l2_scheduler.placement.fit import Amount, Room, Shape
from l2_scheduler.placement.free import Books
from l2_scheduler.placement.obstacles import NOTHING_FREE, Obstacles, Shortage
from l2_scheduler.placement.order import in_order
from l2_scheduler.placement.quota import beyond_queue, use_of
from l2_scheduler.schemas import ACTIVE_STATES, Job, JobStatus, Queues, Resources

__all__ = ["decide", "fits_ever"]


def decide(cluster: ClusterState, queues: Queues, jobs: Sequence[JobStatus], now: float) -> Decisions:
    """Decide what starts, what is cancelled and what waits; `now` in seconds since the epoch.

    `jobs` are all jobs known: pending, active, and ended ones that others depend on. Their order does not
    matter. A job cancelled here may decide others, so a caller that applied `cancels` asks again.

    The first job that waits only for other jobs of this engine to end gets a reservation, which nothing
    behind it delays. A job that could not start even if all of them had ended (nodes drained, accelerators
    used from outside) reserves nothing, for nobody knows for how long: others go on, and it has its
    reservation once the outside lets go.
    """
    return _Pass(cluster, queues, jobs, now).run(jobs)


def fits_ever(cluster: ClusterState, queues: Queues, job: Job) -> tuple[Blocker, ...]:
    """Say why the job could never start, even alone on the whole cluster; empty when it could.

    Nodes out of service and accelerators used from outside count as there: they come back.
    """
    queue = next((queue for queue in queues.queues if queue.name == job.queue), None)
    if queue is None:
        return (no_such_queue(job.queue, queues),)
    shape = Shape.of(job.resources)
    return (*beyond_queue(queue, use_of(shape), time_limit_s(job, queues)), *Obstacles(cluster).never(shape))


class _Pass:
    """The state of one pass; free amounts only shrink, so what found no place never does."""

    def __init__(self, cluster: ClusterState, queues: Queues, jobs: Sequence[JobStatus], now: float) -> None:
        self._queues = queues
        self._now = now
        self._gate = Gate(queues, jobs, now)
        active = [status for status in jobs if status.state in ACTIVE_STATES]
        self._books = Books(cluster, [(status, expected_end(status, queues, now)) for status in active])
        self._obstacles = Obstacles(cluster)
        self._aside: SetAside | None = None
        self._beside = self._books.room
        self._shapes: dict[Resources, Shape] = {}
        self._stuck: dict[tuple[Shape, bool], tuple[Blocker, ...]] = {}
        self._shortage: Shortage | None = None
        self._full = False
        self._starts: list[Start] = []

    def run(self, jobs: Sequence[JobStatus]) -> Decisions:
        cancels: list[Cancel] = []
        waits: list[Wait] = []
        pending = [status for status in jobs if status.state == "PENDING"]
        for status in in_order(pending, self._queues, self._now):
            reason = self._gate.dependencies.impossible(status) if status.job.depends_on else None
            if reason is not None:
                cancels.append(Cancel(job_id=status.job_id, reason=reason))
            elif blockers := self._consider(status):
                waits.append(Wait(job_id=status.job_id, blockers=blockers))
        return Decisions(
            starts=tuple(self._starts),
            cancels=tuple(cancels),
            waits=tuple(waits),
            wake_at=_wake_at(pending, self._now),
            reservation=self._reservation(),
        )

    def _consider(self, status: JobStatus) -> tuple[Blocker, ...]:
        """Start the job, or say what keeps it."""
        shape = self._shape(status.job.resources)
        return (
            self._gate.blockers(status)
            or self._obstacles.beyond_reach(shape)
            or self._gate.queue_blockers(status, shape)
            or self._place(status, shape)
        )

    def _shape(self, resources: Resources) -> Shape:
        shape = self._shapes.get(resources)
        if shape is None:
            shape = self._shapes[resources] = Shape.of(resources)
        return shape

    def _place(self, status: JobStatus, shape: Shape) -> tuple[Blocker, ...]:
        if self._full:
            return NOTHING_FREE
        passes_by = self._ends_before_reservation(status.job)
        stuck = self._stuck.get((shape, passes_by))
        if stuck is not None:
            return stuck
        nodes = (self._books.room if passes_by else self._beside).choose(shape)
        if nodes is not None:
            self._start(status, shape, nodes, passes_by)
            return ()
        short = self._short(shape)
        self._stuck[shape, passes_by] = (short,)
        return (self._set_aside(status, shape, short) if self._aside is None else short,)

    def _ends_before_reservation(self, job: Job) -> bool:
        aside = self._aside
        if aside is None or isinf(aside.at):
            return False
        return end_if_started(job, self._queues, self._now) <= aside.at

    def _start(self, status: JobStatus, shape: Shape, nodes: tuple[int, ...], passes_by: bool) -> None:
        self._shortage = None
        until = end_if_started(status.job, self._queues, self._now)
        allocation = self._books.take(status.job_id, shape, nodes, until)
        self._gate.count(status, shape)
        self._starts.append(
            Start(job_id=status.job_id, allocation=allocation, reason=self._reason(passes_by))
        )
        if self._aside is not None:
            self._keep_beside(self._aside, shape, nodes, passes_by)

    def _keep_beside(self, aside: SetAside, shape: Shape, nodes: tuple[int, ...], passes_by: bool) -> None:
        for node in nodes:
            if not passes_by:
                aside.beside[node] = aside.beside[node].minus(shape.need)
            self._beside[node] = self._books.room[node].least(aside.beside[node])

    def _reason(self, passes_by: bool) -> str:
        if self._aside is None:
            return "first in order"
        if passes_by:
            return f"backfill: ends before job {self._aside.job_id} can start"
        return f"backfill: leaves what job {self._aside.job_id} waits for"

    def _short(self, shape: Shape) -> Blocker:
        if self._aside is not None and self._books.room.choose(shape) is not None:
            return _reserved(self._aside)
        if self._shortage is None:
            self._shortage = Shortage(self._books.room.amounts)
            self._full = self._shortage.everything_taken
        return self._shortage.blocker(shape)

    def _set_aside(self, status: JobStatus, shape: Shape, short: Blocker) -> Blocker:
        """Reserve for the first job that waits for others only; say for whom it waits, and until when."""
        aside = self._aside = reserve(status.job_id, shape, self._books)
        self._gate.set_aside(status, shape)
        amounts = map(Amount.least, self._books.room.amounts, aside.beside)
        self._beside = Room(tuple(amounts), self._books.accelerated)
        return structs.replace(short, jobs=aside.waits_for, until=_known(aside.at))

    def _reservation(self) -> Reservation | None:
        if self._aside is None:
            return None
        names = tuple(self._books.names[node] for node in self._aside.nodes)
        return Reservation(job_id=self._aside.job_id, at=_known(self._aside.at), nodes=names)


def _known(time: float) -> float | None:
    return None if isinf(time) else time


def _reserved(aside: SetAside) -> Blocker:
    when = "for an unknown time" if isinf(aside.at) else "at a time this job may not have ended"
    return Blocker(
        code="reserved_for_earlier_job",
        where="nodes",
        found=f"what is free is needed {when} by job {aside.job_id}, which comes first",
        expected="free resources that no earlier job waits for",
        jobs=(aside.job_id,),
        until=_known(aside.at),
    )


def _wake_at(pending: Sequence[JobStatus], now: float) -> float | None:
    times = (s.not_before for s in pending if not s.held and s.not_before is not None and s.not_before > now)
    return min(times, default=None)
