"""Questions to a person at a terminal; the one that changing commands ask: here is the plan, go on?"""

import sys

import click

from l0_infra.core.errors import InterruptedByUser, UsageError, printable

__all__ = ["ask", "confirm"]


def confirm(plan_text: str, *, yes: bool) -> None:
    """Show a plan on stderr and return when it is agreed to.

    Raises UsageError when nobody can be asked, InterruptedByUser when the answer is no.
    """
    click.echo(plan_text, err=True)
    if yes:
        return
    path = click.get_current_context().command_path
    if not _at_terminal():
        raise UsageError(
            path,
            found="no terminal to ask on",
            expected="agreement to this plan",
            hint="add --yes to agree beforehand",
        )
    if not click.confirm("Go on?", err=True):
        raise InterruptedByUser(path, found="the answer no", expected="yes", hint="nothing was changed")


def ask(text: str, question: str) -> bool:
    """Say something on stderr and ask about it; where nobody can be asked the answer is no, and nothing is said."""
    if not _at_terminal():
        return False
    click.echo(printable(text), err=True)
    return click.confirm(question, err=True)


def _at_terminal() -> bool:
    return sys.stdin.isatty() and sys.stderr.isatty()
