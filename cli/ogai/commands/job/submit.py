"""`ogai job submit`: a document, or a command with flags."""

import os
from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeVar, Unpack

import click

from l0_infra.core.documents import list_fields
from l0_infra.core.errors import UsageError
from l2_scheduler.schemas import Job
from ogai.commands.job.attend import follow as follow_job
from ogai.commands.job.attend import tell_fate, wait_for
from ogai.commands.words import FileName
from ogai.flows import job as flow
from ogai.flows.current_cluster import current_cluster
from ogai.flows.job.file import document_file
from ogai.flows.job.flags import FIELD_FLAGS, Typed, flags_of
from ogai.flows.job.logs import LogView
from ogai.flows.job.request import Flag
from ogai.render import Output, emit, output_option
from ogai.render.current_cluster import tell_place
from ogai.render.job.submitted import print_rehearsal, print_submitted

__all__ = ["submit"]

COMMAND = "ogai.job.submit.command"

EPILOG = """\b
Examples:
  ogai job submit -- python train.py
  ogai job submit --gpus 1 --memory 16GiB --time 2h -- python train.py
  ogai job submit --array 0-9%2 -- bash -c 'echo $OGAI_ARRAY_INDEX'
  ogai job submit --after 12 job.yaml --set limits.time_s=2h
  ogai schema example job > job.yaml      begin a document

Flags win over the document. Durations: 90, 2h30m, 1-12:00:00. Sizes: 8GiB.
Exit code of --wait and -f: 0 if the job completed, 6 if not.
"""

Command = TypeVar("Command", bound=Callable[..., Any])


class SubmitCommand(click.Command):
    """Sets what follows `--` aside, so that a document and a command can be told apart."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Cut the command off, then parse as ever."""
        end = args.index("--") if "--" in args else len(args)
        ctx.meta[COMMAND] = tuple(args[end + 1 :])
        return super().parse_args(ctx, args[:end])

    def collect_usage_pieces(self, ctx: click.Context) -> list[str]:
        """Show the command in the usage line."""
        return [*super().collect_usage_pieces(ctx), "[-- COMMAND…]"]


def field_options(command: Command) -> Command:
    """Add one option per simple field; the document's own words describe it."""
    texts = {line.path: line.description for line in list_fields(Job)}
    for flag in reversed(FIELD_FLAGS):
        command = click.option(f"--{flag.name}", metavar=flag.metavar, help=texts[flag.path])(command)
    return command


@click.command(cls=SubmitCommand, epilog=EPILOG)
@click.argument("file", required=False, type=FileName())
@field_options
@click.option("--warn", metavar="SIGNAL[@TIME]", help="Signal sent before the time limit: USR1@60.")
@click.option("--array", metavar="INDICES[%N]", help="Run once per index, at most N at once: 0-9%2.")
@click.option(
    "--after", "--after-ok", "after_ok", metavar="JOB", multiple=True, help="Start once JOB completed."
)
@click.option("--after-any", metavar="JOB", multiple=True, help="Start once JOB ended, however.")
@click.option("--after-not-ok", metavar="JOB", multiple=True, help="Start once JOB ended badly.")
@click.option(
    "--restartable", is_flag=True, help="May run again after the machine died; no retry is used up."
)
@click.option("--env", metavar="NAME=VALUE", multiple=True, help="A variable for the job; repeatable.")
@click.option("--secret", metavar="NAME", multiple=True, help="A variable never shown; repeatable.")
@click.option("--set", "settings", metavar="PATH=VALUE", multiple=True, help="Any field of the document.")
@click.option("--hold", is_flag=True, help="Queue it, but start it only after `ogai job release`.")
@click.option("--dry-run", is_flag=True, help="Show what would be queued and where it would start.")
@click.option("--wait", "waiting", is_flag=True, help="Wait for its end.")
@click.option("-f", "--follow", is_flag=True, help="Show what it prints until its end.")
@output_option
@click.pass_context
def submit(
    context: click.Context,
    /,
    file: str | None,
    hold: bool,
    dry_run: bool,
    waiting: bool,
    follow: bool,
    output: Output,
    **typed: Unpack[Typed],
) -> None:
    """Put a job into the queue: a document FILE, or the COMMAND behind `--`. Prints its id."""
    job = read(file, context.meta[COMMAND], list(flags_of(typed)))
    if follow and job.array:
        raise one_log_each(job)
    tell_place(current_cluster(os.environ))
    if dry_run:
        print_rehearsal(*flow.rehearse(job, held=hold), output)
        return
    statuses = flow.submit(job, held=hold)
    emit(statuses, output, lambda queued: print_submitted(queued, attended=follow or waiting))
    if follow:
        tell_fate([follow_job(statuses[0].job_id, LogView())])
    elif waiting:
        tell_fate(wait_for([statuses[0].submission]))


def read(file: str | None, command: tuple[str, ...], flags: list[Flag]) -> Job:
    """Make the job, once it is clear that something to run was given."""
    if file is None and not command:
        raise UsageError(
            "ogai job submit",
            found="nothing to run",
            expected="a document FILE, or a command behind `--`",
            hint="ogai job submit -- python train.py",
        )
    path: Path | None = document_file(file) if file else None
    return flow.read_job(path, command, flags)


def one_log_each(job: Job) -> UsageError:
    """Say that an array has no single output to follow."""
    return UsageError(
        "--follow",
        found=f"an array ({job.array.indices if job.array else ''})",
        expected="a single job",
        hint="submit it without -f, then follow one element: ogai job logs -f JOB_INDEX",
    )
