"""Builders of clusters and jobs, short enough that a test shows its case at a glance."""

from collections.abc import Sequence
from dataclasses import dataclass
from math import inf
from typing import Literal

from msgspec import structs

from l1_podsys.schemas import AcceleratorState, ClusterState, NodeState
from l2_scheduler.placement import Decisions, decide
from l2_scheduler.schemas import (
    ACTIVE_STATES,
    Array,
    Dependency,
    Job,
    JobState,
    JobStatus,
    Limits,
    NodeShare,
    Queue,
    Queues,
    Resources,
)

Condition = Literal["afterok", "afternotok", "afterany"]
GIB = 2**30
HOUR = 3600.0


def node(
    name: str = "n1",
    *,
    cpus: int = 8,
    gpus: int = 0,
    gib: int = 64,
    busy: Sequence[int] = (),
    state: Literal["idle", "drained", "down", "unknown"] = "idle",
    foreign_cpus: int = 0,
) -> NodeState:
    accelerators = tuple(
        AcceleratorState(id=f"nvidia:{i}", busy=f"pid {100 + i}" if i in busy else None) for i in range(gpus)
    )
    return NodeState(
        name=name,
        cpus=cpus,
        memory_bytes=gib * GIB,
        accelerators=accelerators,
        state=state,
        foreign_cpus=foreign_cpus,
    )


def cluster(*nodes: NodeState) -> ClusterState:
    return ClusterState(name="test", nodes=nodes)


def nodes(count: int, *, cpus: int = 8, gpus: int = 0) -> ClusterState:
    return cluster(*(node(f"n{i}", cpus=cpus, gpus=gpus) for i in range(count)))


def job(
    job_id: str | int,
    *,
    cpus: int = 1,
    nodes: int = 1,
    gpus: int = 0,
    gib: int | None = None,
    time_s: float | None = None,
    grace_s: float = 0.0,
    queue: str = "default",
    priority: int = 0,
    submitted_at: float = 0.0,
    state: JobState = "PENDING",
    after: Sequence[tuple[str, Condition]] = (),
    throttle: int | None = None,
    held: bool = False,
    not_before: float | None = None,
) -> JobStatus:
    _, _, index = str(job_id).partition("_")
    wished = Job(
        name="j",
        command=("true",),
        resources=Resources(
            nodes=nodes,
            cpus_per_task=cpus,
            gpus_per_node=gpus,
            memory_bytes_per_node=None if gib is None else gib * GIB,
        ),
        limits=Limits(time_s=time_s, grace_s=grace_s),
        queue=queue,
        priority=priority,
        depends_on=tuple(Dependency(job=other, condition=condition) for other, condition in after),
        array=Array(indices="0-99", throttle=throttle) if index else None,
    )
    return JobStatus(
        job_id=str(job_id),
        job=wished,
        state=state,
        priority=priority,
        submitted_at=submitted_at,
        held=held,
        not_before=not_before,
        array_index=int(index) if index else None,
    )


def running(status: JobStatus, *shares: NodeShare, started_at: float = 0.0) -> JobStatus:
    return structs.replace(status, state="RUNNING", allocation=shares, started_at=started_at)


def share(name: str = "n1", *, cpus: int = 1, gib: int = 0, gpus: Sequence[int] = ()) -> NodeShare:
    return NodeShare(
        node=name, cpus=cpus, memory_bytes=gib * GIB, accelerators=tuple(f"nvidia:{i}" for i in gpus)
    )


def queues(*some: Queue, age: float = 1.0) -> Queues:
    return Queues(queues=some or (Queue(name="default"),), age_points_per_hour=age)


def started(decisions: Decisions) -> list[str]:
    return [start.job_id for start in decisions.starts]


def codes(decisions: Decisions) -> dict[str, set[str]]:
    return {wait.job_id: {blocker.code for blocker in wait.blockers} for wait in decisions.waits}


@dataclass
class Simulation:
    """Time moves from event to event; each job runs for `runs[job_id]` seconds, else for its whole limit."""

    cluster: ClusterState
    queues: Queues
    jobs: list[JobStatus]
    runs: dict[str, float]
    now: float = 0.0
    overdue_s: float = 0.0
    wake_at: float = inf

    def step(self) -> Decisions:
        """Decide, carry it out, and check that nothing is oversold."""
        decisions = decide(self.cluster, self.queues, self.jobs, self.now)
        self.wake_at = inf if decisions.wake_at is None else decisions.wake_at
        allocations = {start.job_id: start.allocation for start in decisions.starts}
        cancelled = {cancel.job_id for cancel in decisions.cancels}
        for place, status in enumerate(self.jobs):
            if status.job_id in allocations:
                self.jobs[place] = running(status, *allocations[status.job_id], started_at=self.now)
            elif status.job_id in cancelled:
                self.jobs[place] = structs.replace(status, state="CANCELLED")
        check_not_oversold(self.cluster, self.jobs)
        return decisions

    def end(self, status: JobStatus) -> float:
        assert status.started_at is not None
        limit = status.job.limits.time_s
        end = status.started_at + self.runs.get(status.job_id, HOUR if limit is None else limit)
        return max(end, self.now + self.overdue_s)

    def pass_time(self) -> bool:
        """Go to the next end of a job or to when the last step asked to be woken; False when there is neither."""
        ends = {s.job_id: self.end(s) for s in self.jobs if s.state in ACTIVE_STATES}
        later = min(*ends.values(), self.wake_at, inf)
        if later == inf:
            return False
        self.now = later
        for place, status in enumerate(self.jobs):
            if ends.get(status.job_id, inf) <= later:
                self.jobs[place] = structs.replace(status, state="COMPLETED", ended_at=later)
        return True

    def start_times(self) -> dict[str, float]:
        """Run to the end; when each job started."""
        while self.step().starts or self.pass_time():
            pass
        return {s.job_id: s.started_at for s in self.jobs if s.started_at is not None}


def check_not_oversold(observed: ClusterState, jobs: Sequence[JobStatus]) -> None:
    """Every node gives at most what it has, and each accelerator to one job that no outsider disturbs."""
    shares = [share for status in jobs if status.state in ACTIVE_STATES for share in status.allocation]
    for place in observed.nodes:
        here = [share for share in shares if share.node == place.name]
        taken = [accelerator for share in here for accelerator in share.accelerators]
        usable = {a.id for a in place.accelerators if a.busy is None}
        assert sum(share.cpus for share in here) + place.foreign_cpus <= place.cpus or not here
        assert sum(share.memory_bytes for share in here) <= place.memory_bytes
        assert len(taken) == len(set(taken)) and usable.issuperset(taken)
