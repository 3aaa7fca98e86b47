"""Jobs of this person's engine, free of the command line: `import ogai; ogai.job.submit(…)`."""

from ogai.flows.job.logs import Chunk, LogView, read_logs
from ogai.flows.job.queue import (
    cancel,
    explain,
    hold,
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
    "Chunk",
    "Flag",
    "LogView",
    "cancel",
    "explain",
    "hold",
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
