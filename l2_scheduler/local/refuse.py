"""What is wrong with a job before it is queued: everything that could only fail later."""

import os
import shutil
from collections.abc import Callable, Mapping
from dataclasses import replace
from pathlib import Path

import msgspec

from l0_infra.core.documents import parse_document
from l0_infra.core.errors import DocumentError, OgaiError, UnsatisfiableError, UsageError
from l0_infra.core.units import format_duration
from l2_scheduler.local.records import Record
from l2_scheduler.local.world import Probe, cluster_of
from l2_scheduler.placement import fits_ever
from l2_scheduler.schemas import FINAL_STATES, Dependency, Job, Queues

__all__ = ["refuse_job", "refuse_unsound"]


def refuse_job(
    job: Job,
    environment: Mapping[str, str],
    queues: Queues,
    probe: Probe,
    known: Callable[[str], list[Record]],
) -> None:
    """Raise UsageError or UnsatisfiableError for the first thing that can never work; else return."""
    for dependency in job.depends_on:
        refuse_hopeless(dependency, known(dependency.job))
    refuse_secrets(job, environment)
    refuse_program(job, environment)
    refuse_queue(job, queues)
    if job.resources.nodes > 1:
        raise UnsatisfiableError(
            "resources.nodes",
            found=str(job.resources.nodes),
            expected="1: the embedded engine runs jobs on this machine only",
            hint="use tasks_per_node for several processes here",
        )
    blockers = fits_ever(cluster_of(probe(accelerators=job.resources.gpus_per_node > 0), ()), queues, job)
    if blockers:
        raise UnsatisfiableError(
            f"job {job.name}",
            found="; ".join(blocker.found for blocker in blockers),
            expected="; ".join(blocker.expected for blocker in blockers),
            hint="it would wait for ever on this machine, so it was not queued",
        )


def refuse_hopeless(dependency: Dependency, others: list[Record]) -> None:
    """Refuse to wait for what has already come out otherwise."""
    states = {record.status.state for record in others}
    lost = [record for record in others if record.status.state in FINAL_STATES - {"COMPLETED"}]
    if dependency.condition == "afterok" and lost:
        raise UnsatisfiableError(
            f"dependency afterok on job {dependency.job}",
            found=f"job {lost[0].job_id} {lost[0].status.state}",
            expected="COMPLETED",
            hint=f"ogai job requeue {lost[0].job_id}, or --after-any {dependency.job}",
        )
    if dependency.condition == "afternotok" and states == {"COMPLETED"}:
        raise UnsatisfiableError(
            f"dependency afternotok on job {dependency.job}",
            found="it COMPLETED",
            expected="an end that is not COMPLETED",
        )


def refuse_unsound(job: Job) -> None:
    """Raise DocumentError for a job that a program made of values its fields do not take.

    A struct does not look at what it is made of; once queued, such a job could be read by nobody, nor the rest with it.
    """
    try:
        msgspec.convert(msgspec.to_builtins(job), Job)
    except msgspec.ValidationError:
        try:
            parse_document(msgspec.json.encode(job).decode(), source="job", expect=Job)
        except DocumentError as error:
            raise DocumentError("job", [replace(fault, where="") for fault in error.faults]) from None


def refuse_secrets(job: Job, environment: Mapping[str, str]) -> None:
    for name in job.secrets:
        if name not in environment:
            raise UsageError(
                f"secret {name}",
                found="no such variable in this shell",
                expected="its value in the environment",
                hint=f"read -rs {name} && export {name}",
            )


def refuse_program(job: Job, environment: Mapping[str, str]) -> None:
    """Find the program as the job would; a job that waits for others may run what they make."""
    directory = Path(job.directory or ".")
    if job.depends_on:
        return
    if not directory.is_dir():
        raise UsageError("directory", found=f"no folder {directory}", expected="an existing folder")
    path = {**environment, **job.environment}.get("PATH", os.defpath)
    program = job.command[0]
    wanted = str(directory / program) if "/" in program else program
    if shutil.which(wanted, path=path) is None:
        raise no_program(job, wanted)


def no_program(job: Job, wanted: str) -> OgaiError:
    program = job.command[0]
    if Path(wanted).is_file():
        return UsageError(
            "command",
            found=f"{program}, which is not executable",
            expected="a program",
            hint=f"chmod +x {program}",
        )
    words = program.split()
    hint = "check the spelling and PATH"
    if len(words) > 1:
        hint = f"the command is run without a shell: write `-- {program}` without quotes, or `-- bash -c '{program}'`"
    return UsageError(
        "command", found=f"no program `{program}`", expected="a program on PATH or a path", hint=hint
    )


def refuse_queue(job: Job, queues: Queues) -> None:
    """Hold the job against its queue's name and time limit."""
    queue = next((queue for queue in queues.queues if queue.name == job.queue), None)
    if queue is None:
        names = ", ".join(queue.name for queue in queues.queues)
        raise UsageError("queue", found=job.queue, expected=f"one of {names}")
    most, wanted = queue.max_time_s, job.limits.time_s
    if job.limits.warn_signal is not None and wanted is None and queue.default_time_s is None:
        raise UsageError(
            "limits.warn_signal",
            found=f"{job.limits.warn_signal} without a time limit",
            expected="a time limit to be warned of",
            hint="add --time, or limits.time_s",
        )
    if most is not None and wanted is not None and wanted > most:
        raise UnsatisfiableError(
            "limits.time_s",
            found=format_duration(wanted),
            expected=f"at most {format_duration(most)} in queue {queue.name}",
        )
