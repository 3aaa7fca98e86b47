"""What a person reads after `ogai job submit`: the id, and what to type next."""

from collections.abc import Sequence

import click

from l0_infra.core.documents import render_document
from l0_infra.core.units import format_bytes, format_count
from l2_scheduler import Cancel, Start, Verdict
from l2_scheduler.schemas import JobStatus, NodeShare
from ogai.render.emit import Output, emit

__all__ = ["describe_verdict", "print_rehearsal", "print_submitted"]


def print_submitted(statuses: Sequence[JobStatus], *, attended: bool = False) -> None:
    """Print the id on stdout, the rest on stderr; whoever stays with the job (`attended`) needs no next command."""
    first = statuses[0]
    submission, _, element = first.job_id.partition("_")
    click.echo(submission)
    fate = "held" if first.held else "queued"
    if element:
        click.echo(f"array {submission} ({first.job.name}) of {len(statuses)} jobs is {fate}", err=True)
        following = f"ogai job list; ogai job logs -f {first.job_id}; ogai job wait {submission}"
    else:
        click.echo(f"job {submission} ({first.job.name}) is {fate}", err=True)
        following = f"ogai job logs -f {submission}"
    if first.held:
        following = f"ogai job release {submission}"
    if first.held or not attended:
        click.echo(f"next: {following}", err=True)


def print_rehearsal(status: JobStatus, verdict: Verdict, output: Output) -> None:
    """Print the job document on stdout, and on stderr what would become of it."""
    emit(status.job, output, lambda job: click.echo(render_document(job), nl=False))
    click.echo(f"nothing was queued; {describe_verdict(verdict)}", err=True)


def describe_verdict(verdict: Verdict) -> str:
    """Say where a job would start, or what it would wait for."""
    if isinstance(verdict, Start):
        return "it would start at once on " + ", ".join(map(describe_share, verdict.allocation))
    if isinstance(verdict, Cancel):
        return f"it would be cancelled: {verdict.reason}"
    return "it would wait: " + "; ".join(map(str, verdict.blockers))


def describe_share(share: NodeShare) -> str:
    """Write what is held on one node: `node1: 4 CPUs, 8 GiB, nvidia:0`."""
    parts = [format_count(share.cpus, "CPU")]
    parts += [format_bytes(share.memory_bytes)] if share.memory_bytes else []
    return f"{share.node}: {', '.join((*parts, *share.accelerators))}"
