"""`ogai job cancel|hold|release|requeue|priority|throttle`: wishes about jobs, and what came of each."""

from collections.abc import Sequence

import click

from l0_infra.core.errors import UsageError
from ogai.commands.epilog import examples
from ogai.commands.job.arguments import JobId, job_argument, jobs_argument
from ogai.flows import job as flow
from ogai.flows.job.queue import Change
from ogai.render.job.changes import describe_cancelled, describe_changes

__all__ = ["cancel", "hold", "priority", "release", "requeue", "throttle"]


@click.command(
    epilog=examples(
        "ogai job cancel 12          one job, or all elements of array 12",
        "ogai job cancel 12_3 13_[0-4,8]",
        "ogai job cancel --now 12",
    )
)
@jobs_argument
@click.option("--now", is_flag=True, help="SIGKILL at once, without SIGTERM and grace.")
def cancel(job_ids: tuple[str, ...], now: bool) -> None:
    """End jobs: waiting ones at once, running ones by SIGTERM, then after their grace SIGKILL."""
    for line in describe_cancelled(flow.cancel(job_ids, now=now), now=now):
        click.echo(line, err=True)


@click.command(epilog=examples("ogai job hold 12 13"))
@jobs_argument
def hold(job_ids: tuple[str, ...]) -> None:
    """Keep waiting jobs from starting."""
    tell(flow.hold(job_ids), "is held; start it: ogai job release {}", "a waiting job")


@click.command(epilog=examples("ogai job release 12 13"))
@jobs_argument
def release(job_ids: tuple[str, ...]) -> None:
    """Let held jobs start, and those that wait for their next retry."""
    tell(flow.release(job_ids), "may start", "a waiting job")


@click.command(epilog=examples("ogai job requeue 12    it keeps its id, its limits and who waits for it"))
@jobs_argument
def requeue(job_ids: tuple[str, ...]) -> None:
    """Run jobs again from the start; running ones are ended first."""
    tell(
        flow.requeue(job_ids),
        "runs again; follow it: ogai job logs -f {}",
        "a job that runs or has ended",
    )


@click.command(
    epilog=examples(
        "ogai job priority 12 100    before all that have less",
        "ogai job priority 12 -- -5   when nothing else waits",
    )
)
@job_argument
@click.argument("number", metavar="N", type=click.IntRange(-1_000_000, 1_000_000))
def priority(job_id: str, number: int) -> None:
    """Set the priority of a waiting job; higher starts first, and 0 is usual."""
    tell(
        flow.prioritize([job_id], number),
        f"has priority {number}",
        "a waiting job",
    )


@click.command(
    epilog=examples("ogai job throttle 12 4      four at once", "ogai job throttle 12        as many as fit")
)
@click.argument("array", metavar="ARRAY", type=JobId())
@click.argument("number", metavar="[N]", type=click.IntRange(min=1), required=False)
def throttle(array: str, number: int | None) -> None:
    """Let at most N elements of an array run at once; without N, as many as fit. Those that run go on."""
    flow.throttle(array, number)
    most = "as many elements as fit" if number is None else f"at most {number} element{'s' * (number > 1)}"
    click.echo(f"array {array} runs {most} at once", err=True)


def tell(changes: Sequence[Change], done: str, otherwise: str) -> None:
    """Say what was done to each job. Raises UsageError when none could be changed."""
    for line in describe_changes(changes, done, otherwise):
        click.echo(line, err=True)
    if not any(change.changed for change in changes):
        first = changes[0].status
        raise UsageError(
            click.get_current_context().command_path,
            found=f"job {first.job_id} {first.state}" if len(changes) == 1 else "no job that it applies to",
            expected=otherwise,
            hint=f"ogai job show {first.job_id}",
        )
