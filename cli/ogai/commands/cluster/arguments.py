"""What commands that change a cluster are told alike: agreement, and the password of sudo."""

import os
from collections.abc import Callable
from typing import Any, TypeVar

import click

from l0_infra.core.exec import Secret
from l0_infra.core.units import parse_duration

__all__ = [
    "DURATION",
    "ask_option",
    "changing_options",
    "check_option",
    "cluster_option",
    "name_option",
    "password_of",
]

Command = TypeVar("Command", bound=Callable[..., Any])

VARIABLE = "OGAI_SUDO_PASSWORD"


class Duration(click.ParamType[float]):
    """A time such as `90s` or `1h30m`, in seconds; a bare number is seconds."""

    name = "duration"

    def convert(self, value: str | float, param: click.Parameter | None, ctx: click.Context | None) -> float:
        """Read it. Raises UsageError that names the option."""
        where = param.opts[0] if param is not None else "duration"
        return value if isinstance(value, float) else parse_duration(value, where=where)


DURATION = Duration()


def changing_options(command: Command) -> Command:
    """Take `dry_run`, `yes` and `ask_sudo_password`."""
    dry_run = click.option("--dry-run", is_flag=True, help="Show what would be done, and change nothing.")
    yes = click.option("-y", "--yes", is_flag=True, help="Agree beforehand.")
    return dry_run(yes(ask_option(command)))


def ask_option(command: Command) -> Command:
    """Take `ask_sudo_password`."""
    option = click.option(
        "-K",
        "--ask-sudo-password",
        is_flag=True,
        help=f"Ask for the password that sudo wants on the nodes; else {VARIABLE} is taken.",
    )
    return option(command)


def name_option(command: Command) -> Command:
    """Take `name`."""
    option = click.option("--name", metavar="NAME", help="A cluster kept here; else the current one.")
    return option(command)


def cluster_option(command: Command) -> Command:
    """Take `cluster`."""
    option = click.option(
        "--cluster",
        metavar="FILE|NAME",
        help="Cluster document, or a cluster kept here; else the current one as last applied.",
    )
    return option(command)


def check_option(command: Command) -> Command:
    """Take `check`."""
    option = click.option(
        "--check/--no-check",
        default=True,
        help="Whether the nodes are checked afterwards, as the document says.",
    )
    return option(command)


def password_of(*, ask: bool) -> Secret | None:
    """Return the password of sudo, asked for at the terminal or from the environment; None: sudo asks for none."""
    if ask:
        return Secret(click.prompt("Password of sudo on the nodes", hide_input=True, err=True))
    return Secret(text) if (text := os.environ.get(VARIABLE)) else None
