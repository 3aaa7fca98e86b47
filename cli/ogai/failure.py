"""A failure as lines for a person: where, found, expected, and what to type next."""

import os
from collections.abc import Iterator, Mapping, Sequence

import click

from l0_infra.core.errors import DocumentError, InterruptedByUser, OgaiError, UsageError, printable
from l0_infra.core.units import format_count
from ogai.suggest import command_path, correct, spelled

__all__ = ["ClickGrammar", "describe_failure"]


class ClickGrammar:
    """What can rightly be typed, read from the click commands themselves."""

    def __init__(self, root: click.Group) -> None:
        self.root = root

    def names(self, path: tuple[str, ...]) -> Sequence[str]:
        """Names of the commands below `path`."""
        command = self._command(path)
        return command.list_commands(click.Context(command)) if isinstance(command, click.Group) else ()

    def options(self, path: tuple[str, ...]) -> Mapping[str, bool]:
        """Options of the command at `path`; true where the next word is the option's value."""
        command = self._command(path)
        if command is None:
            return {}
        context = click.Context(command, help_option_names=["-h", "--help"])
        options = [option for option in command.get_params(context) if isinstance(option, click.Option)]
        return {
            name: not (option.is_flag or option.count)
            for option in options
            for name in (*option.opts, *option.secondary_opts)
        }

    def _command(self, path: tuple[str, ...]) -> click.Command | None:
        command: click.Command | None = self.root
        for name in path:
            if not isinstance(command, click.Group):
                return None
            try:
                command = command.get_command(click.Context(command), name)
            except OgaiError:  # a command that cannot be loaded is no help in guessing
                return None
        return command


def describe_failure(error: OgaiError, words: tuple[str, ...], root: click.Group) -> Iterator[str]:
    """Yield the lines; a usage error without a hint of its own gets the command most likely meant."""
    if isinstance(error, DocumentError):
        yield from _faults(error)
        return
    if isinstance(error, InterruptedByUser):
        yield printable(f"{error.where}: {error.hint}")
        return
    yield f"{_label()} {error}"
    if hint := error.hint or _usage_hint(error, words, root):
        yield printable(f"hint: {hint}")


def _faults(error: DocumentError) -> Iterator[str]:
    for fault in error.faults:
        yield f"{_label()} {fault}{printable(f' ({fault.hint})') if fault.hint else ''}"
    yield f"{format_count(len(error.faults), 'fault')} in {printable(error.document)}"
    if error.hint and error.hint not in [fault.hint for fault in error.faults]:
        yield printable(f"hint: {error.hint}")


def _usage_hint(error: OgaiError, words: tuple[str, ...], root: click.Group) -> str:
    if not isinstance(error, UsageError):
        return ""
    grammar = ClickGrammar(root)
    meant = correct(words, grammar)
    return (
        f"did you mean: {spelled(meant)}" if meant else f"see: {spelled(command_path(words, grammar))} --help"
    )


def _label() -> str:
    """Return `error:`, red where colour is wanted; click drops it where stderr is no terminal."""
    return "error:" if os.environ.get("NO_COLOR") else click.style("error:", fg="red", bold=True)
