"""A click group that knows its commands by name and one line: help is instant, only what runs is imported."""

from collections.abc import Mapping
from dataclasses import dataclass
from importlib import import_module

import click
from click.shell_completion import CompletionItem

from l0_infra.core.errors import UnsatisfiableError

__all__ = ["Entry", "LazyGroup"]


@dataclass(frozen=True, kw_only=True, slots=True)
class Entry:
    """One command: where its object lies (`module:object`) and what help says of it."""

    target: str
    help: str


class LazyGroup(click.Group):
    """Imports a command's module only when that command is run."""

    def __init__(self, name: str, table: Mapping[str, Entry], *, help: str, epilog: str) -> None:
        settings = {"help_option_names": ["-h", "--help"]}
        super().__init__(name, help=help, epilog=epilog, context_settings=settings)
        self.table = table

    def list_commands(self, ctx: click.Context) -> list[str]:
        """Names, in the order of the table."""
        return list(self.table)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """Import one command; UnsatisfiableError when its module or a package it needs is missing."""
        entry = self.table.get(cmd_name)
        return None if entry is None else _load(f"{ctx.command_path} {cmd_name}", entry)

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write the table into the help without importing anything."""
        with formatter.section("Commands"):
            formatter.write_dl([(name, entry.help) for name, entry in self.table.items()])

    def shell_complete(self, ctx: click.Context, incomplete: str) -> list[CompletionItem]:
        """Complete names from the table, and this group's options, without importing anything."""
        names = [
            CompletionItem(name, help=entry.help)
            for name, entry in self.table.items()
            if name.startswith(incomplete)
        ]
        return names + click.Command.shell_complete(self, ctx, incomplete)


def _load(path: str, entry: Entry) -> click.Command:
    module, _, attribute = entry.target.partition(":")
    try:
        command = getattr(import_module(module), attribute)
    except ModuleNotFoundError as error:
        raise UnsatisfiableError(
            path,
            found=f"no Python module `{error.name}`",
            expected="everything this command imports to be installed",
            hint="`ogai doctor` shows what is missing and the command that brings it",
        ) from error
    if not isinstance(command, click.Command):
        raise TypeError(f"{entry.target} is not a click command")
    return command
