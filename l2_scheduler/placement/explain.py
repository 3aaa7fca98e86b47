"""Why a job does not start, and the smallest change that would start it."""

from collections.abc import Sequence
from typing import Literal

from msgspec import Struct

from l0_infra.core.errors import UsageError
from l1_podsys.schemas import ClusterState
from l2_scheduler.placement.decisions import Blocker
from l2_scheduler.placement.suggest import Suggestion, suggestions
from l2_scheduler.placement.world import World
from l2_scheduler.schemas import JobStatus, Queues

__all__ = ["Explanation", "explain"]


class Explanation(Struct, frozen=True, kw_only=True):
    """What became of a job in a pass: `blockers` say why it waits, `suggestions` what would start it.

    Suggestions come the smallest first; each was tried on `decide` and starts the job. `text` sums it up.
    """

    job_id: str
    outcome: Literal["not_pending", "starts", "cancelled", "waits"]
    text: str
    blockers: tuple[Blocker, ...] = ()
    suggestions: tuple[Suggestion, ...] = ()


def explain(
    cluster: ClusterState, queues: Queues, jobs: Sequence[JobStatus], now: float, job_id: str
) -> Explanation:
    """Explain one job; the inputs are those of `decide`. Raises UsageError when the job is not among them."""
    world = World(cluster=cluster, queues=queues, jobs=tuple(jobs), now=now)
    status = world.find(job_id)
    if status is None:
        raise UsageError(f"job {job_id}", found="no such job", expected="a known id", hint="ogai job list")
    if status.state != "PENDING":
        return Explanation(job_id=job_id, outcome="not_pending", text=f"job {job_id} is {status.state}")
    return _explain_pending(world, status)


def _explain_pending(world: World, status: JobStatus) -> Explanation:
    job_id = status.job_id
    decisions = world.decide()
    blockers = next((wait.blockers for wait in decisions.waits if wait.job_id == job_id), None)
    if blockers is not None:
        return _explain_waiting(world, status, blockers)
    reasons = [cancel.reason for cancel in decisions.cancels if cancel.job_id == job_id]
    if reasons:
        return Explanation(job_id=job_id, outcome="cancelled", text=f"job {job_id} {reasons[0]}")
    return Explanation(job_id=job_id, outcome="starts", text=f"job {job_id} starts in the next pass")


def _explain_waiting(world: World, status: JobStatus, blockers: tuple[Blocker, ...]) -> Explanation:
    further = _blockers_once_released(world, status) if status.held else blockers
    every = tuple(dict.fromkeys((*blockers, *further)))
    return Explanation(
        job_id=status.job_id,
        outcome="waits",
        text=f"job {status.job_id} waits: {'; '.join(blocker.found for blocker in every)}",
        blockers=every,
        suggestions=tuple(suggestions(world, status, further)),
    )


def _blockers_once_released(world: World, status: JobStatus) -> tuple[Blocker, ...]:
    waits = world.edited(status.job_id, held=False).decide().waits
    return next((wait.blockers for wait in waits if wait.job_id == status.job_id), ())
