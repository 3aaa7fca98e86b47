"""The argument that most training commands take."""

from collections.abc import Callable
from typing import Any, TypeVar

import click
from click.shell_completion import CompletionItem

from l0_infra.core.errors import OgaiError
from ogai.commands.words import require_word

__all__ = ["RunId", "run_argument"]

Command = TypeVar("Command", bound=Callable[..., Any])


class RunId(click.ParamType[str]):
    """The id of a run, the beginning of one, or a training's name, which means its newest run."""

    name = "run"

    def convert(self, value: str, param: click.Parameter | None, ctx: click.Context | None) -> str:
        """Return the word; refuse an empty one."""
        expected = "the id of a run, its beginning, or the name of a training"
        return require_word(value, param, expected, hint="`ogai train list` names the runs")

    def shell_complete(
        self, ctx: click.Context, param: click.Parameter, incomplete: str
    ) -> list[CompletionItem]:
        """Offer the runs that begin so; none when there is no folder of runs."""
        from l3_modeltools import list_runs
        from ogai.flows.train.place import runs_folder

        try:
            runs = list_runs(runs_folder())
        except OgaiError:
            return []
        return [CompletionItem(run.run_id) for run in reversed(runs) if run.run_id.startswith(incomplete)]


def run_argument(command: Command) -> Command:
    """Take one run as `run_id`."""
    return click.argument("run_id", metavar="RUN", type=RunId())(command)
