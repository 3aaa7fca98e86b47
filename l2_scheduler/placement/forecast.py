"""When a waiting job starts if nothing is changed: placement run ahead, every job taking all of its time."""

from math import isinf

from msgspec import Struct

from l2_scheduler.placement.world import World, applied
from l2_scheduler.schemas import ACTIVE_STATES

__all__ = ["Forecast", "forecast"]

EVENTS_AT_MOST = 256
JOBS_LOOKED_AT = 400_000
"""Jobs times events: how far is looked ahead in a long queue, about a second."""


class Forecast(Struct, frozen=True, kw_only=True):
    """The job starts `at` (seconds since the epoch), when the jobs of `after` have ended."""

    at: float
    after: tuple[str, ...]


def forecast(world: World, job_id: str) -> Forecast | None:
    """Look ahead; None when the job waits for something without a known end, or for too many events."""
    ended: tuple[str, ...] = ()
    for _ in range(min(EVENTS_AT_MOST, JOBS_LOOKED_AT // len(world.jobs))):
        decisions = world.decide()
        if any(start.job_id == job_id for start in decisions.starts):
            return Forecast(at=world.now, after=ended)
        world = applied(world, decisions)
        times = (world.next_end(), decisions.wake_at)
        time = min(time for time in times if time is not None)
        if isinf(time):
            return None
        later = world.at(time)
        ended = tuple(
            before.job_id
            for before, after in zip(world.jobs, later.jobs, strict=True)
            if before.state in ACTIVE_STATES and after.state not in ACTIVE_STATES
        )
        world = later
    return None
