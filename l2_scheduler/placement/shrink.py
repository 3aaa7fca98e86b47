"""How much less a job would have to ask for to start now, submitted anew."""

from collections.abc import Callable, Iterator

from msgspec import Struct, structs

from l0_infra.core.units import format_count
from l2_scheduler.placement.order import submission
from l2_scheduler.placement.search import largest
from l2_scheduler.placement.world import World
from l2_scheduler.schemas import JobStatus, Resources

__all__ = ["SmallerRequest", "smaller_requests"]

MIB = 2**20


class SmallerRequest(Struct, frozen=True, kw_only=True):
    """One option of the submission with the largest value that starts now."""

    option: str
    value: str
    text: str


def smaller_requests(world: World, status: JobStatus) -> Iterator[SmallerRequest]:
    """For CPUs, accelerators and memory: the most of each the job could have now, if less of it alone helps.

    The smaller job is submitted anew: it comes last in its priority, and the job it replaces is gone.
    """
    asked = status.job.resources
    trials = _Trials(world, status)
    if cpus := trials.most(asked.cpus_per_task, lambda n: structs.replace(asked, cpus_per_task=n)):
        yield SmallerRequest(
            option="--cpus", value=str(cpus), text=f"ask for {format_count(cpus, 'CPU')} per task"
        )
    if gpus := trials.most(asked.gpus_per_node, lambda n: structs.replace(asked, gpus_per_node=n)):
        yield SmallerRequest(
            option="--gpus", value=str(gpus), text=f"ask for {format_count(gpus, 'accelerator')} per node"
        )
    mib = -(-(asked.memory_bytes_per_node or 0) // MIB)
    if size := trials.most(mib, lambda n: structs.replace(asked, memory_bytes_per_node=n * MIB)):
        yield SmallerRequest(option="--memory", value=f"{size}MiB", text=f"ask for {size} MiB per node")


class _Trials:
    def __init__(self, world: World, status: JobStatus) -> None:
        self._status = status
        self._without = world.edited(status.job_id, state="CANCELLED")
        self._new_id = str(max(submission(other.job_id)[0] for other in world.jobs) + 1)

    def most(self, asked: int, smaller: Callable[[int], Resources]) -> int | None:
        """Largest amount below `asked` with which the job starts now."""
        return largest(1, asked - 1, lambda amount: self._starts(smaller(amount)))

    def _starts(self, resources: Resources) -> bool:
        new = JobStatus(
            job_id=self._new_id,
            job=structs.replace(self._status.job, resources=resources),
            priority=self._status.job.priority,
            submitted_at=self._without.now,
        )
        return structs.replace(self._without, jobs=(*self._without.jobs, new)).starts(self._new_id)
