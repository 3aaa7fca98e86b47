"""How much each queue lets its jobs hold together, and how much of that is held."""

from collections.abc import Iterator
from typing import NamedTuple

from l2_scheduler.placement.decisions import Blocker
from l2_scheduler.placement.fit import Shape
from l2_scheduler.schemas import Queue

__all__ = ["Quota", "Use", "beyond_queue", "use_of"]


class Use(NamedTuple):
    """What jobs hold of a queue's limits."""

    jobs: int
    cpus: int
    gpus: int

    def plus(self, other: "Use") -> "Use":
        """Add each part."""
        return Use(self.jobs + other.jobs, self.cpus + other.cpus, self.gpus + other.gpus)


NO_USE = Use(0, 0, 0)


def use_of(shape: Shape) -> Use:
    """What one job of this shape holds."""
    return Use(1, shape.nodes * shape.need.cpus, shape.nodes * shape.need.gpus)


def limits(queue: Queue) -> tuple[tuple[str, int | None], ...]:
    """The queue's limits in the order of `Use`, each with its field name."""
    return (
        ("max_running_jobs", queue.max_running_jobs),
        ("max_cpus", queue.max_cpus),
        ("max_gpus", queue.max_gpus),
    )


class Quota:
    """The book of one queue: what its active jobs hold, and what is set aside for waiting ones."""

    def __init__(self, queue: Queue) -> None:
        self._queue = queue
        self._limits = tuple(
            (place, name, limit) for place, (name, limit) in enumerate(limits(queue)) if limit is not None
        )
        self._held = NO_USE
        self._aside = NO_USE
        self._stopped: dict[tuple[Use, float | None], tuple[Blocker, ...]] = {}
        self.open = not self._limits and queue.max_time_s is None

    def hold(self, use: Use) -> None:
        """Count a job that holds this."""
        self._held = self._held.plus(use)

    def set_aside(self, use: Use) -> None:
        """Keep this for a waiting job, so that later jobs of the queue cannot starve it."""
        self._aside = self._aside.plus(use)

    def blockers(self, use: Use, time_s: float | None) -> tuple[Blocker, ...]:
        """Name each limit the job would break; the first that only has to wait has its use set aside."""
        if (use, time_s) in self._stopped:
            return self._stopped[use, time_s]
        never = tuple(beyond_queue(self._queue, use, time_s))
        broken = never or tuple(self._broken(use))
        if broken:
            self._stopped[use, time_s] = broken
            if not never and self._aside == NO_USE:
                self.set_aside(use)
        return broken

    def _broken(self, use: Use) -> Iterator[Blocker]:
        for place, name, limit in self._limits:
            if use[place] and self._held[place] + self._aside[place] + use[place] > limit:
                yield self._blocker(name, limit, self._held[place], self._aside[place], use[place])

    def _blocker(self, name: str, limit: int, held: int, aside: int, asked: int) -> Blocker:
        kept = f", {aside} set aside for an earlier job" if aside else ""
        return Blocker(
            code="queue_limit",
            where=f"queue {self._queue.name}: {name}",
            found=f"{held} of {limit} in use{kept}; the job adds {asked}",
            expected=f"at most {limit} together",
        )


def beyond_queue(queue: Queue, use: Use, time_s: float | None) -> Iterator[Blocker]:
    """Name what the queue would never allow such a job, even if it were alone; `time_s` is its time limit."""
    for (name, limit), asked in zip(limits(queue), use, strict=True):
        if limit is not None and asked > limit:
            yield _never(queue, name, f"the job asks {asked}", f"at most {limit}")
    if queue.max_time_s is not None and (time_s is None or time_s > queue.max_time_s):
        found = "no time limit" if time_s is None else f"a time limit of {time_s:g} s"
        yield _never(queue, "max_time_s", found, f"a time limit of at most {queue.max_time_s:g} s")


def _never(queue: Queue, name: str, found: str, expected: str) -> Blocker:
    return Blocker(code="queue_limit", where=f"queue {queue.name}: {name}", found=found, expected=expected)
