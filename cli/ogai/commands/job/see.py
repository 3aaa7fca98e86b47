"""`ogai job list|show|why`: the queue, one job, and what it waits for."""

import time
from typing import get_args

import click

from l2_scheduler.schemas import JobState, JobStatus
from ogai.commands.epilog import examples
from ogai.commands.job.arguments import job_argument, spread_ids
from ogai.flows import job as flow
from ogai.flows.job.events import read_events
from ogai.flows.job.view import chosen, open_ids
from ogai.render import Output, emit, output_option
from ogai.render.job.detail import print_job
from ogai.render.job.table import print_jobs
from ogai.render.job.why import print_explanation

__all__ = ["list_", "show", "why"]

LIST_EPILOG = """\b
Examples:
  ogai job list                  open jobs, and those of the last hour
  ogai job list --all --state FAILED
  ogai job list 12 --expand      each element of array 12
  ogai job list -o json | jq -r '.[].job_id'
"""


@click.command("list", epilog=LIST_EPILOG)
@click.argument("job_ids", metavar="[JOB…]", nargs=-1, callback=spread_ids)
@click.option("-a", "--all", "everything", is_flag=True, help="Also those that ended long ago.")
@click.option(
    "--state",
    "states",
    metavar="STATE",
    multiple=True,
    type=click.Choice(get_args(JobState), case_sensitive=False),
    help=f"Only jobs in this state; repeatable: {', '.join(get_args(JobState)).lower()}.",
)
@click.option("--expand", is_flag=True, help="One line for each element of an array.")
@output_option
def list_(
    job_ids: tuple[str, ...], everything: bool, states: tuple[str, ...], expand: bool, output: Output
) -> None:
    """Show the queue: open jobs, and those that ended in the last hour."""
    now = time.time()
    every = flow.poll_awake(job_ids)
    statuses = chosen(every, now, everything=everything or bool(job_ids or states), states=frozenset(states))
    if output == "table" and not statuses:
        click.echo(nothing_to_show(every), err=True)
        return
    emit(statuses, output, lambda shown: print_jobs(shown, open_ids(every), now, expand=expand))


def nothing_to_show(every: tuple[JobStatus, ...]) -> str:
    """Say why the list is empty, and what to type instead."""
    if not every:
        return "no jobs yet; the first: ogai job submit -- echo hello"
    return f"no such job among {len(every)}; all of them: ogai job list --all"


@click.command(epilog=examples("ogai job show 12", "ogai job show 12_3 -o json"))
@job_argument
@output_option
def show(job_id: str, output: Output) -> None:
    """Show everything about one job: its command, limits, state, times, and what to do next."""
    every = flow.poll()
    statuses = flow.poll([job_id])
    if output == "table" and len(statuses) > 1:
        print_jobs(statuses, open_ids(every), time.time(), expand=True)
        click.echo(f"one of them: ogai job show {statuses[0].job_id}", err=True)
        return
    emit(
        statuses,
        output,
        lambda shown: print_job(shown[0], open_ids(every), read_events(shown[0].directory), time.time()),
    )


@click.command(epilog=examples("ogai job why 12"))
@job_argument
@output_option
def why(job_id: str, output: Output) -> None:
    """Say what keeps a job waiting, and the smallest change that would start it."""
    statuses = flow.poll([job_id])
    waiting = next((status for status in statuses if status.state == "PENDING"), statuses[0])
    explanation = flow.explain(waiting.job_id)
    emit(explanation, output, lambda shown: print_explanation(waiting, shown, time.time()))
