"""What a placement pass answers: who starts where, who can never start, who waits for what."""

from typing import Literal

from msgspec import Struct

from l2_scheduler.schemas import NodeShare

__all__ = ["Blocker", "BlockerCode", "Cancel", "Decisions", "Reservation", "Start", "Wait"]

BlockerCode = Literal[
    "held",
    "dependency",
    "backoff",
    "throttle",
    "queue_limit",
    "no_such_queue",
    "resources",
    "fragmentation",
    "accelerators_busy",
    "reserved_for_earlier_job",
    "node_state",
    "never_fits",
]


class Blocker(Struct, frozen=True, kw_only=True, gc=False):
    """One thing that keeps a job from starting; `jobs` it waits for, and `until` when at the latest.

    `until` is in seconds since the epoch; None when nobody can say.
    """

    code: BlockerCode
    where: str
    found: str
    expected: str
    jobs: tuple[str, ...] = ()
    until: float | None = None

    def __str__(self) -> str:
        return f"{self.where}: found {self.found}; expected {self.expected}"


class Start(Struct, frozen=True, kw_only=True, gc=False):
    """A job that starts now, with what it holds on each of its nodes."""

    job_id: str
    allocation: tuple[NodeShare, ...]
    reason: str


class Cancel(Struct, frozen=True, kw_only=True, gc=False):
    """A job that can never start any more, because what it depends on cannot come true."""

    job_id: str
    reason: str


class Wait(Struct, frozen=True, kw_only=True, gc=False):
    """A job that waits, and for what."""

    job_id: str
    blockers: tuple[Blocker, ...]


class Reservation(Struct, frozen=True, kw_only=True):
    """What is set aside for the first job that waits for resources.

    `at` is the latest start in seconds since the epoch, None when jobs without a time limit must end first.
    """

    job_id: str
    at: float | None
    nodes: tuple[str, ...]


class Decisions(Struct, frozen=True, kw_only=True):
    """The outcome of one pass: each pending job is in exactly one of `starts`, `cancels` and `waits`.

    `wake_at` is the earliest time at which the answer may change by time alone (a back-off ends).
    """

    starts: tuple[Start, ...] = ()
    cancels: tuple[Cancel, ...] = ()
    waits: tuple[Wait, ...] = ()
    wake_at: float | None = None
    reservation: Reservation | None = None
