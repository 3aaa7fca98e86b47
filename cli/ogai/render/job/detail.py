"""`ogai job show`: everything about one job, and what to type next."""

import shlex
from collections.abc import Iterator, Sequence
from pathlib import Path

from l0_infra.core.units import format_bytes, format_duration
from l2_scheduler.schemas import FINAL_STATES, Job, JobStatus
from ogai.flows.job.events import Event
from ogai.flows.job.fate import signal_name
from ogai.render.job.submitted import describe_share
from ogai.render.job.words import describe_resources, describe_wait
from ogai.render.moment import ago, brief, clock, local_time
from ogai.render.table import print_fields

__all__ = ["describe_job", "describe_timeline", "next_commands", "print_job"]

Field = tuple[str, str]
EVENTS_AT_MOST = 12


def print_job(status: JobStatus, opened: frozenset[str], events: Sequence[Event], now: float) -> None:
    """Print it on stdout."""
    fields = [
        *describe_job(status, opened, now),
        *describe_timeline(events, now),
        *zip(("Next", ""), next_commands(status), strict=False),
    ]
    print_fields(fields)


def describe_job(status: JobStatus, opened: frozenset[str], now: float) -> Iterator[Field]:
    """Yield names and values; values of environment variables are never among them."""
    job = status.job
    yield f"Job {status.job_id}", job.name
    yield "state", describe_state(status, opened, now)
    yield from describe_end(status)
    yield "command", shlex.join(job.command)
    yield "directory", job.directory or "."
    yield "resources", describe_resources(job.resources)
    yield from (
        ("holds" if status.state not in FINAL_STATES else "held", describe_share(share))
        for share in status.allocation
    )
    yield from describe_wishes(status)
    yield from describe_times(status, now)
    yield from describe_places(status)


def describe_state(status: JobStatus, opened: frozenset[str], now: float) -> str:
    """Say state and reason."""
    reason = describe_wait(status, opened, now) if status.state == "PENDING" else status.reason
    return f"{status.state}: {reason}" if reason else status.state


def describe_end(status: JobStatus) -> Iterator[Field]:
    """Explain exit code and signal, once there is one."""
    if status.signal is not None:
        yield "exit", signal_name(status.signal)
    elif status.exit_code is not None:
        yield "exit", f"code {status.exit_code}"


def describe_wishes(status: JobStatus) -> Iterator[Field]:
    """Say what was asked for beyond the defaults."""
    job = status.job
    yield "limits", describe_limits(job)
    yield "queue", f"{job.queue}, priority {status.priority}"
    if job.array:
        yield (
            "array",
            f"{job.array.indices}, "
            + (f"{job.array.throttle} at once" if job.array.throttle else "no throttle"),
        )
    if job.depends_on:
        yield "depends on", ", ".join(f"{item.condition} {item.job}" for item in job.depends_on)
    if job.retry.limit:
        yield "retries", f"up to {job.retry.limit}, the first after {format_duration(job.retry.backoff_s)}"
    if job.retry.restartable:
        yield "restartable", "yes"
    if job.environment or job.secrets:
        yield "variables", ", ".join((*job.environment, *(f"{name} (secret)" for name in job.secrets)))


def describe_limits(job: Job) -> str:
    limits = job.limits
    time = "no time limit" if limits.time_s is None else f"{format_duration(limits.time_s)}"
    warning = (
        f", {limits.warn_signal} {format_duration(limits.warn_before_s)} before" if limits.warn_signal else ""
    )
    return f"{time}{warning}, grace {format_duration(limits.grace_s)}"


def describe_times(status: JobStatus, now: float) -> Iterator[Field]:
    """Say when it was submitted, started and ended, and how long it ran."""
    moments = [("submitted", status.submitted_at)]
    if status.started_at is not None and status.attempt:
        moments.append(("started", status.started_at))
    if status.ended_at is not None:
        moments.append(("ended", status.ended_at))
    yield from ((name, f"{local_time(at, now)} ({ago(now - at)})") for name, at in moments)
    if status.elapsed_s is not None:
        yield "ran for", brief(status.elapsed_s)
    if status.attempt > 1:
        yield "attempts", str(status.attempt)
    if status.peak_memory_bytes:
        yield "peak memory", format_bytes(status.peak_memory_bytes)


def describe_places(status: JobStatus) -> Iterator[Field]:
    """Say where its files lie."""
    if status.attempt:
        tasks = status.job.resources.tasks_per_node
        name = "task-0.log" if tasks == 1 else f"task-{{0..{tasks - 1}}}.log"
        yield "log", str(Path(status.directory) / str(status.attempt) / name)


def describe_timeline(events: Sequence[Event], now: float) -> Iterator[Field]:
    """Yield what happened, one line each, the newest last."""
    if not events:
        return
    yield "Timeline", ""
    hidden = len(events) - EVENTS_AT_MOST
    if hidden > 0:
        yield "", f"… {hidden} earlier"
    today = local_time(events[0].at, now) == clock(events[0].at)
    for event in events[-EVENTS_AT_MOST:]:
        yield (clock if today else lambda at: local_time(at, now))(event.at), describe_event(event)


def describe_event(event: Event) -> str:
    """Write one event; its details as they are."""
    attempt = f" (attempt {event.attempt})" if event.attempt > 1 else ""
    state, reason = event.details.get("state"), event.details.get("reason")
    if event.event in ("ended", "ending") and state:
        return f"{event.event}: {state}" + (f", {reason}" if reason else "") + attempt
    details = " ".join(f"{name}={value}" for name, value in event.details.items())
    return f"{event.event} {details}".rstrip() + attempt


def next_commands(status: JobStatus) -> tuple[str, ...]:
    """Say what a person most likely wants to do now."""
    job_id = status.job_id
    if status.held:
        return (f"ogai job release {job_id}", f"ogai job cancel {job_id}")
    if status.state == "PENDING":
        return (f"ogai job why {job_id}", f"ogai job cancel {job_id}")
    if status.state not in FINAL_STATES:
        return (f"ogai job logs -f {job_id}", f"ogai job cancel {job_id}")
    if status.state == "COMPLETED" or not status.attempt:
        return (f"ogai job logs {job_id}",) if status.attempt else (f"ogai job requeue {job_id}",)
    return (f"ogai job logs {job_id}", f"ogai job requeue {job_id}")
