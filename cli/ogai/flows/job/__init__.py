"""Jobs of this person's engine, free of the command line: `import ogai; ogai.job.submit(…)`."""

from l2_scheduler.schemas import Array, Dependency, Job, JobStatus, Limits, Resources, Retry
from ogai.flows.job.logs import Chunk, LogView, read_logs
from ogai.flows.job.queue import (
    cancel,
    explain,
    hold,
    output,
    poll,
    poll_awake,
    prioritize,
    prune,
    rehearse,
    release,
    requeue,
    submit,
    throttle,
    wait,
)
from ogai.flows.job.request import Flag, read_job

__all__ = [
    "Array",
    "Chunk",
    "Dependency",
    "Flag",
    "Job",
    "JobStatus",
    "Limits",
    "LogView",
    "Resources",
    "Retry",
    "cancel",
    "explain",
    "hold",
    "output",
    "poll",
    "poll_awake",
    "prioritize",
    "prune",
    "read_job",
    "read_logs",
    "rehearse",
    "release",
    "requeue",
    "submit",
    "throttle",
    "wait",
]
