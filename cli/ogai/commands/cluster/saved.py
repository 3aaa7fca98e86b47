"""Where a document that was made goes: a file that is not there yet."""

from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeVar

import click

from l0_infra.core.errors import MachineError, UsageError, describe_os_error

__all__ = ["force_option", "refuse_overwriting", "save_document", "to_option"]

Command = TypeVar("Command", bound=Callable[..., Any])


def to_option(command: Command) -> Command:
    """Take `to`."""
    option = click.option(
        "--to",
        metavar="FILE",
        type=click.Path(path_type=Path, dir_okay=False),
        help="Where the document goes.",
    )
    return option(command)


def force_option(command: Command) -> Command:
    """Take `force`."""
    return click.option("--force", is_flag=True, help="Overwrite a file that is there.")(command)


def refuse_overwriting(path: Path, *, force: bool) -> None:
    """Raise UsageError where a file is, unless `force`."""
    if path.exists() and not force:
        raise UsageError(
            str(path), found="a file there already", expected="a new file", hint="--force overwrites it"
        )


def save_document(path: Path, text: str, *, force: bool) -> None:
    """Write a document and say what to do with it. Raises UsageError where a file is, unless `force`."""
    from l0_infra.core.store import save_file

    refuse_overwriting(path, force=force)
    try:
        save_file(path, text.encode())
    except OSError as error:
        raise MachineError(
            str(path), found=describe_os_error(error), expected="a file that can be written"
        ) from error
    click.echo(path)
    click.echo(f"next: ogai schema check {path}; ogai cluster up {path}", err=True)
