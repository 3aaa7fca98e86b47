"""What commands that change a cluster are told alike: agreement, and the password of sudo."""

import os
from collections.abc import Callable
from typing import Any, TypeVar

import click

from l0_infra.core.exec import Secret

__all__ = ["changing_options", "password_of"]

Command = TypeVar("Command", bound=Callable[..., Any])

VARIABLE = "OGAI_SUDO_PASSWORD"


def changing_options(command: Command) -> Command:
    """Take `dry_run`, `yes` and `ask_sudo_password`."""
    dry_run = click.option("--dry-run", is_flag=True, help="Show what would be done, and change nothing.")
    yes = click.option("-y", "--yes", is_flag=True, help="Agree beforehand.")
    ask = click.option(
        "-K",
        "--ask-sudo-password",
        is_flag=True,
        help=f"Ask for the password that sudo wants on the nodes; else {VARIABLE} is taken.",
    )
    return dry_run(yes(ask(command)))


def password_of(*, ask: bool) -> Secret | None:
    """Return the password of sudo, asked for at the terminal or from the environment; None: sudo asks for none."""
    if ask:
        return Secret(click.prompt("Password of sudo on the nodes", hide_input=True, err=True))
    return Secret(text) if (text := os.environ.get(VARIABLE)) else None
