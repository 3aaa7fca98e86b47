"""`ogai job wait`: until jobs have ended; its exit code says whether they completed."""

import click

from l0_infra.core.units import parse_duration
from ogai.commands.job.arguments import jobs_argument
from ogai.commands.job.attend import tell_fate, wait_for
from ogai.render import Output, emit, output_option

__all__ = ["wait"]

EPILOG = """\b
Examples:
  ogai job wait 12 13 && echo both completed
  ogai job wait 12 --timeout 10m

Exit code 0 if all completed, 6 if any did not, 5 if the time ran out.
"""


@click.command(epilog=EPILOG)
@jobs_argument
@click.option("--timeout", metavar="DURATION", help="Give up after this long; the jobs go on.")
@output_option
def wait(job_ids: tuple[str, ...], timeout: str | None, output: Output) -> None:
    """Wait until jobs, or all elements of an array, have ended."""
    timeout_s = None if timeout is None else parse_duration(timeout, where="--timeout")
    statuses = wait_for(job_ids, timeout_s=timeout_s)
    if output != "table":
        emit(statuses, output, lambda _: None)
    tell_fate(statuses)
