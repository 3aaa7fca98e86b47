"""The documents this layer owns: a job as wished, a job as it is, the queues."""

from l2_scheduler.schemas.job import Array, Dependency, Job, Limits, Logs, Resources, Retry
from l2_scheduler.schemas.job_status import ACTIVE_STATES, FINAL_STATES, JobState, JobStatus, NodeShare
from l2_scheduler.schemas.queues import Queue, Queues

__all__ = [
    "ACTIVE_STATES",
    "FINAL_STATES",
    "Array",
    "Dependency",
    "Job",
    "JobState",
    "JobStatus",
    "Limits",
    "Logs",
    "NodeShare",
    "Queue",
    "Queues",
    "Resources",
    "Retry",
]
