"""A job as it is: its state in Slurm's words, where it runs, how it ended."""

from typing import Annotated, Literal

from msgspec import Meta

from l0_infra.core.documents import Bytes, Document, Part, Seconds
from l2_scheduler.schemas.job import Job

__all__ = ["ACTIVE_STATES", "FINAL_STATES", "JobState", "JobStatus", "NodeShare"]

JobState = Literal[
    "PENDING",
    "CONFIGURING",
    "RUNNING",
    "COMPLETING",
    "COMPLETED",
    "FAILED",
    "CANCELLED",
    "TIMEOUT",
    "OUT_OF_MEMORY",
    "NODE_FAIL",
]

ACTIVE_STATES: frozenset[str] = frozenset({"CONFIGURING", "RUNNING", "COMPLETING"})
"""States in which a job holds its slots."""

FINAL_STATES: frozenset[str] = frozenset(
    {"COMPLETED", "FAILED", "CANCELLED", "TIMEOUT", "OUT_OF_MEMORY", "NODE_FAIL"}
)
"""States that do not change any more, unless a person requeues the job."""


class NodeShare(Part, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """What a job holds on one node."""

    node: Annotated[str, Meta(description="Node name.")]
    cpus: Annotated[int, Meta(ge=0, description="Logical CPUs.")]
    memory_bytes: Annotated[Bytes, Meta(description="Memory; 0 when the job stated no limit.")] = 0
    accelerators: Annotated[tuple[str, ...], Meta(description="Accelerator ids, `vendor:index`.")] = ()


class JobStatus(Document, frozen=True, kw_only=True, forbid_unknown_fields=True, tag="job_status"):
    """The observed side of a job. Times are seconds since the epoch, UTC."""

    job_id: Annotated[str, Meta(description="Id in ogai: `12`, or `12_3` for an element of array 12.")]
    engine: Annotated[Literal["local", "slurm"], Meta(description="Engine that runs it.")] = "local"
    native_id: Annotated[str | None, Meta(description="The engine's own id.")] = None
    job: Annotated[Job, Meta(description="The job as submitted.")]
    state: Annotated[JobState, Meta(description="State, in Slurm's words.")] = "PENDING"
    reason: Annotated[str, Meta(description="Why it is in this state, in one sentence.")] = ""
    held: Annotated[bool, Meta(description="A person holds it back.")] = False
    priority: Annotated[int, Meta(description="Priority now; starts as the job's.")] = 0
    array_index: Annotated[Annotated[int, Meta(ge=0)] | None, Meta(description="Index within its array.")] = (
        None
    )
    attempt: Annotated[int, Meta(ge=0, description="Times it was started.")] = 0
    not_before: Annotated[
        float | None, Meta(description="Not started before this time (retry back-off).")
    ] = None
    submitted_at: Annotated[float, Meta(description="When it was submitted.")] = 0.0
    started_at: Annotated[float | None, Meta(description="When the current or last attempt started.")] = None
    ended_at: Annotated[float | None, Meta(description="When it ended.")] = None
    elapsed_s: Annotated[Seconds | None, Meta(description="Run time of the last attempt.")] = None
    exit_code: Annotated[int | None, Meta(description="Exit code of the first task that failed, else 0.")] = (
        None
    )
    signal: Annotated[int | None, Meta(description="Signal that ended that task.")] = None
    peak_memory_bytes: Annotated[Bytes | None, Meta(description="Highest memory of all tasks together.")] = (
        None
    )
    allocation: Annotated[tuple[NodeShare, ...], Meta(description="What it holds, or held last.")] = ()
    directory: Annotated[str, Meta(description="Where its logs and events lie.")] = ""

    @property
    def submission(self) -> str:
        """Id of what was submitted, an array's for each of its elements: `12` of `12` and of `12_3`."""
        return self.job_id.partition("_")[0]
