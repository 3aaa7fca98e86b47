"""The kinds of jobs that the proof submits, and how each may end when nobody disturbs it."""

import random
import zlib
from dataclasses import dataclass
from typing import Literal

from l2_scheduler.schemas import Array, Dependency, Job, Limits, Logs, Resources, Retry

__all__ = ["KINDS", "LINE_COUNTS", "Kind", "Wish", "make_wish"]

MIB = 2**20
NO_RETRY = Retry()
QUICK_RETRY = Retry(limit=3, backoff_s=0.1, backoff_max_s=1.0)
RESTART = Retry(restartable=True, backoff_s=0.1, backoff_max_s=1.0)
SHORT_GRACE = Limits(grace_s=0.5)
LINE_COUNTS = (40, 4000, 30000)
CONDITIONS: tuple[Literal["afterok", "afternotok", "afterany"], ...] = ("afterok", "afternotok", "afterany")


@dataclass(frozen=True, kw_only=True, slots=True)
class Kind:
    """One kind of job: what the actor does, and the states it may end in by itself."""

    name: str
    behaviour: str
    arguments: tuple[str, ...]
    ends: frozenset[str]
    weight: int = 4
    cpus: tuple[int, ...] = (1, 1, 2)
    tasks: tuple[int, ...] = (1,)
    memory_bytes: int | None = None
    limits: Limits = SHORT_GRACE
    retry: Retry = NO_RETRY
    array: tuple[int, ...] = ()
    depends: bool = False


@dataclass(frozen=True, kw_only=True, slots=True)
class Wish:
    """One submission: the job, which kind it is, how many elements it has."""

    kind: Kind
    job: Job
    count: int


def ends(*states: str) -> frozenset[str]:
    return frozenset(states)


DONE = ends("COMPLETED")
KINDS = (
    Kind(name="quick", behaviour="sleep", arguments=("0", "0.05"), ends=DONE, weight=8),
    Kind(name="long", behaviour="sleep", arguments=("2", "4"), ends=DONE, weight=10),
    Kind(name="failing", behaviour="fail", arguments=("1", "77"), ends=ends("FAILED")),
    Kind(name="retried", behaviour="flaky", arguments=("2", "3"), ends=DONE, retry=QUICK_RETRY),
    Kind(
        name="hopeless", behaviour="fail", arguments=("4",), ends=ends("FAILED"), retry=QUICK_RETRY, weight=2
    ),
    Kind(name="restartable", behaviour="sleep", arguments=("1", "3"), ends=DONE, retry=RESTART, weight=10),
    Kind(
        name="overrun",
        behaviour="overrun",
        arguments=("",),
        ends=ends("TIMEOUT"),
        limits=Limits(time_s=1.5, warn_signal="USR1", warn_before_s=0.7, grace_s=0.5),
    ),
    Kind(
        name="hungry",
        behaviour="hungry",
        arguments=("200",),
        ends=ends("OUT_OF_MEMORY"),
        memory_bytes=64 * MIB,
    ),
    Kind(name="array", behaviour="sleep", arguments=("0.1", "0.3"), ends=DONE, array=(5, 12)),
    Kind(name="dependent", behaviour="sleep", arguments=("0.1",), ends=DONE, depends=True, weight=8),
    Kind(name="gang", behaviour="sleep", arguments=("0.5", "1"), ends=DONE, tasks=(2, 3), cpus=(1,)),
    Kind(name="ghosts", behaviour="ghosts", arguments=("0", "0.5", "3"), ends=DONE, weight=10),
    Kind(name="stubborn", behaviour="stubborn", arguments=("2",), ends=DONE),
    Kind(
        name="lines",
        behaviour="lines",
        arguments=tuple(map(str, LINE_COUNTS)),
        ends=DONE,
        weight=6,
        tasks=(1, 2),
    ),
    Kind(name="secret", behaviour="secret", arguments=("",), ends=DONE, weight=3),
)


def make_wish(
    rng: random.Random, number: int, *, program: tuple[str, ...], secret: str, others: list[str]
) -> Wish:
    """Draw a kind and its particulars; `others` are ids that a dependent job may name."""
    kind = rng.choices(KINDS, [kind.weight for kind in KINDS])[0]
    cpus, tasks, size = rng.choice(kind.cpus), rng.choice(kind.tasks), rng.choice(kind.array or (1,))
    argument = f"{zlib.crc32(secret.encode()):08x}" if kind.name == "secret" else rng.choice(kind.arguments)
    array = Array(indices=f"0-{size - 1}", throttle=rng.choice((None, 2))) if kind.array else None
    chosen = rng.sample(others, min(len(others), rng.choice((1, 2)))) if kind.depends else []
    job = Job(
        name=f"{kind.name}-{number}",
        command=(*program, kind.behaviour, argument),
        environment={"PROVE_CPUS": str(cpus * tasks)},
        secrets=("PROVE_SECRET",) if kind.name == "secret" else (),
        resources=Resources(
            tasks_per_node=tasks, cpus_per_task=cpus, memory_bytes_per_node=kind.memory_bytes
        ),
        priority=rng.choice((0, 0, 0, 5, -5)),
        limits=kind.limits,
        array=array,
        depends_on=tuple(Dependency(job=other, condition=rng.choice(CONDITIONS)) for other in chosen),
        retry=kind.retry,
        logs=Logs(rotate_bytes=65536, keep=1000),
    )
    return Wish(kind=kind, job=job, count=size)
