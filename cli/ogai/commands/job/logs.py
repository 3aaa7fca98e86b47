"""`ogai job logs`: what a job printed, byte for byte."""

import click

from ogai.commands.job.arguments import job_argument
from ogai.commands.job.attend import follow as follow_job
from ogai.flows import job as flow
from ogai.flows.engine import open_engine
from ogai.flows.job.logs import LogView, one_job
from ogai.render.job.changes import describe_ends
from ogai.render.job.output import tell_if_silent, write_chunks

__all__ = ["logs"]

EPILOG = """\b
Examples:
  ogai job logs -f 12               until it ends, also over restarts
  ogai job logs 12 --tail 20
  ogai job logs 12_3 --task 0 --timestamps

Of a job with several tasks each line begins with its task: [0], [1], …
"""


@click.command(epilog=EPILOG)
@job_argument
@click.option("-f", "--follow", is_flag=True, help="Go on until the job has ended.")
@click.option("--task", metavar="N", type=int, help="This task only, counted from 0.")
@click.option(
    "--attempt", metavar="N", type=int, help="This attempt only, counted from 1; default: the newest."
)
@click.option("-n", "--tail", metavar="N", type=click.IntRange(min=1), help="The last N lines of each task.")
@click.option("-t", "--timestamps", is_flag=True, help="Put the time (UTC) before each line.")
def logs(
    job_id: str, follow: bool, task: int | None, attempt: int | None, tail: int | None, timestamps: bool
) -> None:
    """Print what a job printed."""
    view = LogView(task=task, attempt=attempt, tail=tail, timestamps=timestamps)
    if follow:
        click.echo(describe_ends([follow_job(job_id, view)]), err=True)
        return
    with open_engine() as engine:
        status = one_job(engine, job_id)
        chunks = flow.read_logs(engine, job_id, view)
        if not write_chunks(chunks, view, tasks=status.job.resources.tasks_per_node):
            tell_if_silent(status)
        if attempt is None and status.attempt > 1:
            click.echo(
                f"that was attempt {status.attempt}; the first: ogai job logs --attempt 1 {job_id}", err=True
            )
