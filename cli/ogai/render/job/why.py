"""`ogai job why`: each thing that keeps a job waiting as a sentence, then what would start it."""

import shlex
from collections.abc import Iterator

import click

from l2_scheduler import Blocker, Explanation
from l2_scheduler.schemas import ACTIVE_STATES, JobStatus
from ogai.flows.job.fate import describe_end
from ogai.render.moment import ago, brief, local_time

__all__ = ["describe_explanation", "print_explanation"]


def print_explanation(status: JobStatus, explanation: Explanation, now: float) -> None:
    """Print it on stdout."""
    click.echo("\n".join(describe_explanation(status, explanation, now)))


def describe_explanation(status: JobStatus, explanation: Explanation, now: float) -> Iterator[str]:
    """Yield the lines."""
    title = f"job {status.job_id} ({status.job.name})"
    if explanation.outcome == "not_pending":
        yield f"{title} does not wait: {describe_presence(status, now)}"
        return
    if explanation.outcome != "waits":
        yield explanation.text
        return
    yield f"{title} waits, {brief(now - status.submitted_at)} so far:"
    yield from (f"  - {describe_blocker(blocker, now)}" for blocker in explanation.blockers)
    if not explanation.suggestions:
        yield describe_patience(status)
        return
    yield "what would start it, the smallest change first:"
    for suggestion in explanation.suggestions:
        when = f" (then at {local_time(suggestion.at, now)})" if suggestion.at is not None else ""
        yield f"  {suggestion.text}{when}"
        yield from (f"      {spelled(command)}" for command in suggestion.commands)
        yield from (
            f"      queues.yaml: queue {item.queue}: {item.field}: {item.value}"
            for item in suggestion.settings
        )


def describe_patience(status: JobStatus) -> str:
    """Say what there is to do about a job that no single change would start now."""
    if status.held:
        return f"release it first, then it waits for the rest by itself: ogai job release {status.job_id}"
    return "no single change would start it now; it starts by itself once all of that has changed"


def describe_presence(status: JobStatus, now: float) -> str:
    """Say how it is with a job that does not wait."""
    if status.state in ACTIVE_STATES:
        return f"it is {status.state}, started {ago(now - (status.started_at or now))}"
    return f"it ended {ago(now - (status.ended_at or now))}, {describe_end(status)}"


def describe_blocker(blocker: Blocker, now: float) -> str:
    """Write a blocker with the jobs it waits for and the latest time it lasts."""
    named = blocker.jobs if blocker.code != "dependency" else ()
    jobs = f"; waits for job {', '.join(named)}" if named else ""
    until = f", until {local_time(blocker.until, now)} at the latest" if blocker.until is not None else ""
    return f"{blocker}{jobs}{until}"


def spelled(command: tuple[str, ...]) -> str:
    """Write a command as it is typed; `…` stands for what was typed before."""
    return " ".join(word if word == "…" else shlex.quote(word) for word in command)
