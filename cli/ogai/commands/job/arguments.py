"""Arguments that several job commands take."""

from collections.abc import Callable
from typing import Any, TypeVar

import click
from click.shell_completion import CompletionItem

from l0_infra.core.errors import OgaiError

__all__ = ["FileName", "JobId", "job_argument", "jobs_argument"]

Command = TypeVar("Command", bound=Callable[..., Any])


class JobId(click.ParamType[str]):
    """The id of a job, of an array, or of an element; the shell completes it."""

    name = "job"

    def shell_complete(
        self, ctx: click.Context, param: click.Parameter, incomplete: str
    ) -> list[CompletionItem]:
        """Offer the ids that begin so; none when there is no queue yet."""
        from ogai.flows.job import poll

        try:
            statuses = poll()
        except OgaiError:
            return []
        found = [status for status in statuses if status.job_id.startswith(incomplete)]
        return [CompletionItem(status.job_id, help=f"{status.job.name} {status.state}") for status in found]


class FileName(click.ParamType[str]):
    """A file, or whatever else the word turns out to be; the shell completes files."""

    name = "file"

    def shell_complete(
        self, ctx: click.Context, param: click.Parameter, incomplete: str
    ) -> list[CompletionItem]:
        """Leave it to the shell."""
        return [CompletionItem(incomplete, type="file")]


def job_argument(command: Command) -> Command:
    """Take one id as `job_id`."""
    return click.argument("job_id", metavar="JOB", type=JobId())(command)


def jobs_argument(command: Command) -> Command:
    """Take one or more ids as `job_ids`."""
    return click.argument("job_ids", metavar="JOB…", type=JobId(), nargs=-1, required=True)(command)
