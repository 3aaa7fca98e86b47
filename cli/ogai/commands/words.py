"""Words that commands are given: names of files, and none that is empty, as an unset variable of a shell leaves it."""

import click
from click.shell_completion import CompletionItem

from l0_infra.core.errors import UsageError

__all__ = ["FileName", "require_word"]


class FileName(click.ParamType[str]):
    """A file, or whatever else the word turns out to be; the shell completes files."""

    name = "file"

    def convert(self, value: str, param: click.Parameter | None, ctx: click.Context | None) -> str:
        """Return the word; refuse an empty one."""
        return require_word(value, param, "the name of a file")

    def shell_complete(
        self, ctx: click.Context, param: click.Parameter, incomplete: str
    ) -> list[CompletionItem]:
        """Leave it to the shell."""
        return [CompletionItem(incomplete, type="file")]


def require_word(value: str, param: click.Parameter | None, expected: str, *, hint: str = "") -> str:
    """Return `value`. Raises UsageError where it is empty."""
    if value:
        return value
    raise UsageError(name_of(param), found="an empty word", expected=expected, hint=hint)


def name_of(param: click.Parameter | None) -> str:
    """Name a parameter as its command's usage does: `--log`, `RUN`."""
    if isinstance(param, click.Option):
        return max(param.opts, key=len)
    usage = param.make_metavar(click.Context(click.Command(""))) if param else "a word"
    return usage.split()[0].strip("[]…")
