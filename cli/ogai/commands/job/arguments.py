"""Arguments that several job commands take."""

from collections.abc import Callable
from typing import Any, TypeVar

import click
from click.shell_completion import CompletionItem

from l0_infra.core.errors import OgaiError
from l0_infra.core.nodeset import expand

__all__ = ["JobId", "job_argument", "jobs_argument", "spread_ids"]

OPEN_ONLY = frozenset({"cancel", "hold", "priority", "release", "throttle", "wait", "why"})
"""Commands that have nothing to do with a job that ended."""

Command = TypeVar("Command", bound=Callable[..., Any])


class JobId(click.ParamType[str]):
    """The id of a job, of an array, or of an element; the shell completes it."""

    name = "job"

    def shell_complete(
        self, ctx: click.Context, param: click.Parameter, incomplete: str
    ) -> list[CompletionItem]:
        """Offer the ids that begin so, an array's elements once its `_` is typed; none when there is no queue yet."""
        from ogai.flows.job import poll
        from ogai.flows.job.view import completions

        try:
            statuses = poll()
        except OgaiError:
            return []
        found = completions(statuses, incomplete, open_only=ctx.info_name in OPEN_ONLY)
        return [CompletionItem(job_id, help=text) for job_id, text in found.items()]


def job_argument(command: Command) -> Command:
    """Take one id as `job_id`."""
    return click.argument("job_id", metavar="JOB", type=JobId())(command)


def jobs_argument(command: Command) -> Command:
    """Take one or more ids as `job_ids`; those of an array also as our tables write them, `12_[0-3,7]`."""
    return click.argument(
        "job_ids", metavar="JOB…", type=JobId(), nargs=-1, required=True, callback=spread_ids
    )(command)


def spread_ids(
    _context: click.Context, _parameter: click.Parameter, words: tuple[str, ...]
) -> tuple[str, ...]:
    """Write each `12_[0-3,7]` as the ids it stands for. Raises UsageError for brackets that name nothing."""
    return tuple(job_id for word in words for job_id in (expand(word) if "[" in word else (word,)))
