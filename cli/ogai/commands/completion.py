"""`ogai completion`: the script that makes a shell complete our commands."""

import os
from pathlib import Path

import click
from click.shell_completion import get_completion_class

from l0_infra.core.errors import UnsatisfiableError
from ogai.flows.completion import SHELLS, Shell, plan_place, save

__all__ = ["completion"]

EPILOG = """\b
Examples:
  ogai completion bash --install         once and for all
  eval "$(ogai completion bash)"         for this shell only
"""


@click.command(epilog=EPILOG)
@click.argument("shell", type=click.Choice(SHELLS))
@click.option("--install", is_flag=True, help="Write it where the shell looks for it.")
@click.pass_context
def completion(context: click.Context, shell: Shell, install: bool) -> None:
    """Print the completion script of a shell, or install it."""
    script = _script(context, shell)
    if not install:
        click.echo(script)
        return
    place = plan_place(shell, os.environ, Path.home())
    written = save(script, place.path)
    click.echo(place.path)
    click.echo(f"{'installed' if written else 'already there'}; {place.instruction}", err=True)


def _script(context: click.Context, shell: Shell) -> str:
    maker = get_completion_class(shell)
    if maker is None:
        raise UnsatisfiableError(
            context.command_path, found=f"no support for {shell}", expected=f"one of {', '.join(SHELLS)}"
        )
    return maker(context.find_root().command, {}, "ogai", "_OGAI_COMPLETE").source()
