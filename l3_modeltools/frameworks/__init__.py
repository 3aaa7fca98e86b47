"""One training, many trainers: each framework says which program a job runs for it."""

from l3_modeltools.frameworks.command import resolve_command
from l3_modeltools.frameworks.containers import Container, find_container
from l3_modeltools.frameworks.practices import PRACTICES, KnownPractice, practice_of
from l3_modeltools.frameworks.render import render_job
from l3_modeltools.frameworks.runnable import RUNNABLE, Runnable, runnable_degrees
from l3_modeltools.frameworks.starter import free_port

__all__ = [
    "PRACTICES",
    "RUNNABLE",
    "Container",
    "KnownPractice",
    "Runnable",
    "find_container",
    "free_port",
    "practice_of",
    "render_job",
    "resolve_command",
    "runnable_degrees",
]
