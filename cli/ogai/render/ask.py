"""The one question that changing commands ask: here is the plan, go on?"""

import sys

import click

from l0_infra.core.errors import InterruptedByUser, UsageError

__all__ = ["confirm"]


def confirm(plan_text: str, *, yes: bool) -> None:
    """Show a plan on stderr and return when it is agreed to.

    Raises UsageError when nobody can be asked, InterruptedByUser when the answer is no.
    """
    click.echo(plan_text, err=True)
    if yes:
        return
    path = click.get_current_context().command_path
    if not (sys.stdin.isatty() and sys.stderr.isatty()):
        raise UsageError(
            path,
            found="no terminal to ask on",
            expected="agreement to this plan",
            hint="add --yes to agree beforehand",
        )
    if not click.confirm("Go on?", err=True):
        raise InterruptedByUser(path, found="the answer no", expected="yes", hint="nothing was changed")
