"""Staying with jobs until they end; Ctrl-C leaves them running and says how to come back."""

from collections.abc import Sequence

import click

from l0_infra.core.errors import InterruptedByUser
from l2_scheduler.schemas import JobStatus
from ogai.flows import job as flow
from ogai.flows.engine import open_engine
from ogai.flows.job.fate import judge_fate
from ogai.flows.job.logs import LogView, one_job
from ogai.render.job.changes import describe_ends
from ogai.render.job.output import write_chunks

__all__ = ["follow", "tell_fate", "wait_for"]


def follow(job_id: str, view: LogView) -> JobStatus:
    """Print what a job prints until it has ended; return how it ended."""
    try:
        with open_engine() as engine:
            tasks = one_job(engine, job_id).job.resources.tasks_per_node
            write_chunks(flow.read_logs(engine, job_id, view, follow=True), view, tasks=tasks)
            return engine.poll([job_id])[0]
    except KeyboardInterrupt:
        raise left(f"job {job_id}", f"ogai job logs -f {job_id}") from None


def wait_for(job_ids: Sequence[str], *, timeout_s: float | None = None) -> tuple[JobStatus, ...]:
    """Wait for jobs and return how they ended."""
    try:
        return flow.wait(job_ids, timeout_s=timeout_s)
    except KeyboardInterrupt:
        listed = " ".join(job_ids)
        raise left(f"job {listed}", f"ogai job wait {listed}") from None


def tell_fate(statuses: Sequence[JobStatus]) -> None:
    """Say that jobs completed. Raises UnhealthyError, which names those that did not."""
    judge_fate(statuses)
    click.echo(describe_ends(statuses), err=True)


def left(where: str, again: str) -> InterruptedByUser:
    return InterruptedByUser(
        where, found="Ctrl-C", expected="its end", hint=f"it goes on without you; come back: {again}"
    )
