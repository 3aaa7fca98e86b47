"""How far a queue's limits or an array's throttle would have to be raised for a job to start now."""

from functools import partial

from msgspec import Struct, structs

from l2_scheduler.placement.fit import Shape
from l2_scheduler.placement.quota import limits, use_of
from l2_scheduler.placement.search import smallest
from l2_scheduler.placement.world import World
from l2_scheduler.schemas import JobStatus, Queue

__all__ = ["Setting", "raised_limits", "raised_throttle"]


class Setting(Struct, frozen=True, kw_only=True):
    """A field of a queue in `queues.yaml`, and the value it would need."""

    queue: str
    field: str
    value: int


def raised_limits(world: World, status: JobStatus) -> tuple[Setting, ...]:
    """The lowest limits of its queue that let the job start now: all lifted, then each lowered again."""
    queue = next(queue for queue in world.queues.queues if queue.name == status.job.queue)
    present = [(place, field, now) for place, (field, now) in enumerate(limits(queue)) if now is not None]
    trial: Queue = structs.replace(queue, **{field: None for _, field, _ in present})
    if not present or not _starts_under(world, status.job_id, trial):
        return ()
    settings = []
    for place, field, now in present:
        works = partial(_starts_with, world, status.job_id, trial, field)
        value = smallest(now, now + _most_used(world, place), works)
        trial = structs.replace(trial, **{field: value})
        if value is not None and value > now:
            settings.append(Setting(queue=queue.name, field=field, value=value))
    return tuple(settings)


def raised_throttle(world: World, status: JobStatus) -> int | None:
    """The lowest throttle of its array that lets the element start now."""
    array = status.job.array
    if array is None or array.throttle is None:
        return None
    family = status.submission

    def works(throttle: int) -> bool:
        job = structs.replace(status.job, array=structs.replace(array, throttle=throttle))
        wider = world.changed(lambda s: s.submission == family, lambda s: structs.replace(s, job=job))
        return wider.starts(status.job_id)

    return smallest(array.throttle + 1, array.throttle + len(world.jobs), works)


def _most_used(world: World, place: int) -> int:
    return sum(use_of(Shape.of(status.job.resources))[place] for status in world.jobs)


def _starts_with(world: World, job_id: str, queue: Queue, field: str, value: int) -> bool:
    return _starts_under(world, job_id, structs.replace(queue, **{field: value}))


def _starts_under(world: World, job_id: str, queue: Queue) -> bool:
    queues = tuple(queue if other.name == queue.name else other for other in world.queues.queues)
    changed = structs.replace(world, queues=structs.replace(world.queues, queues=queues))
    return changed.starts(job_id)
