"""What would start a waiting job, the smallest change first, each tried on `decide` before it is told."""

from collections.abc import Iterator, Sequence
from math import floor
from typing import Literal

from msgspec import Struct, structs

from l2_scheduler.placement import commands
from l2_scheduler.placement.commands import Command
from l2_scheduler.placement.decisions import Blocker
from l2_scheduler.placement.forecast import forecast
from l2_scheduler.placement.limits import Setting, raised_limits, raised_throttle
from l2_scheduler.placement.order import effective_priority
from l2_scheduler.placement.search import smallest
from l2_scheduler.placement.shrink import smaller_requests
from l2_scheduler.placement.victims import victims
from l2_scheduler.placement.world import World
from l2_scheduler.schemas import JobStatus

__all__ = ["Suggestion", "suggestions"]

HIGHEST_PRIORITY = 1_000_000
NO_END_KNOWN = frozenset({"never_fits", "node_state", "accelerators_busy", "no_such_queue"})
OTHERS_DECIDE = frozenset({"dependency", "backoff", "no_such_queue"})


class Suggestion(Struct, frozen=True, kw_only=True):
    """One change that starts the job: `commands` to type in order, or `settings` of queues to write.

    `at` is when it starts then, in seconds since the epoch; None means at once. `wait` asks for no change.
    """

    change: Literal["release", "wait", "priority", "shrink", "limit", "throttle", "hold", "cancel"]
    text: str
    commands: tuple[Command, ...] = ()
    settings: tuple[Setting, ...] = ()
    at: float | None = None


def suggestions(world: World, status: JobStatus, blockers: Sequence[Blocker]) -> Iterator[Suggestion]:
    """Yield what would start the waiting job; a held one is released first in each of them.

    `blockers` are those that remain once it is released.
    """
    if not status.held:
        yield from _without_hold(world, status, blockers)
        return
    release = commands.release(status.job_id)
    released = world.edited(status.job_id, held=False)
    if released.starts(status.job_id):
        yield Suggestion(change="release", text="release it", commands=(release,))
        return
    for further in _without_hold(released, structs.replace(status, held=False), blockers):
        yield further if further.change == "shrink" else _after(release, further)


def _after(release: Command, further: Suggestion) -> Suggestion:
    text = f"release it, then {further.text}"
    return structs.replace(further, commands=(release, *further.commands), text=text)


def _without_hold(world: World, status: JobStatus, blockers: Sequence[Blocker]) -> Iterator[Suggestion]:
    codes = {blocker.code for blocker in blockers}
    if not codes & NO_END_KNOWN:
        yield from _wait(world, status)
    if codes & OTHERS_DECIDE:
        return
    ahead = world.until(status.job_id)
    yield from _priority(ahead, status)
    yield from _shrink(world, status)
    yield from _limit(ahead, status)
    yield from _throttle(ahead, status)
    yield from _hold(ahead, status, blockers)
    yield from _cancel(ahead, status, blockers)


def _wait(world: World, status: JobStatus) -> Iterator[Suggestion]:
    found = forecast(world, status.job_id)
    if found is not None:
        ends = f"when job {', '.join(found.after)} ends" if found.after else "by itself"
        yield Suggestion(change="wait", text=f"wait: it starts {ends}, if nothing else comes", at=found.at)


def _priority(ahead: World, status: JobStatus) -> Iterator[Suggestion]:
    def works(priority: int) -> bool:
        return ahead.edited(status.job_id, priority=priority).starts(status.job_id)

    mine = effective_priority(status, ahead.queues, ahead.now)
    waiting = (other for other in ahead.jobs if other.state == "PENDING")
    top = max(effective_priority(other, ahead.queues, ahead.now) for other in waiting)
    highest = min(HIGHEST_PRIORITY, status.priority + floor(top - mine) + 1)
    if (needed := smallest(status.priority + 1, highest, works)) is not None:
        command = commands.set_priority(status.job_id, needed)
        yield Suggestion(change="priority", text=f"raise its priority to {needed}", commands=(command,))


def _shrink(world: World, status: JobStatus) -> Iterator[Suggestion]:
    if status.array_index is not None:
        return
    for smaller in smaller_requests(world, status):
        steps = (commands.cancel(status.job_id), commands.resubmit((smaller.option, smaller.value)))
        yield Suggestion(change="shrink", text=smaller.text, commands=steps)


def _limit(ahead: World, status: JobStatus) -> Iterator[Suggestion]:
    if settings := raised_limits(ahead, status):
        wanted = " and ".join(f"{s.field} of queue {s.queue} to {s.value}" for s in settings)
        yield Suggestion(change="limit", text=f"raise {wanted}", settings=settings)


def _throttle(ahead: World, status: JobStatus) -> Iterator[Suggestion]:
    if (throttle := raised_throttle(ahead, status)) is not None:
        array = status.submission
        text = f"let {throttle} elements of array {array} run at once"
        command = commands.set_throttle(array, throttle)
        yield Suggestion(change="throttle", text=text, commands=(command,))


def _hold(ahead: World, status: JobStatus, blockers: Sequence[Blocker]) -> Iterator[Suggestion]:
    reserved = (blocker for blocker in blockers if blocker.code == "reserved_for_earlier_job")
    for earlier in (job_id for blocker in reserved for job_id in blocker.jobs):
        if ahead.edited(earlier, held=True).starts(status.job_id):
            yield Suggestion(change="hold", text=f"hold job {earlier}", commands=(commands.hold(earlier),))


def _cancel(ahead: World, status: JobStatus, blockers: Sequence[Blocker]) -> Iterator[Suggestion]:
    """One running job is named, and only if that one is enough."""
    enough = (
        victim
        for victim in victims(ahead, status, blockers)
        if ahead.edited(victim, state="CANCELLED").starts(status.job_id)
    )
    if (victim := next(enough, None)) is not None:
        yield Suggestion(change="cancel", text=f"cancel job {victim}", commands=(commands.cancel(victim),))
