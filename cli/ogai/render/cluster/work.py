"""What is shown and asked around a change of a cluster: nodes being looked at, the plan, the question, the progress."""

from collections import Counter
from collections.abc import Callable
from contextlib import ExitStack
from types import TracebackType
from typing import Self

import click

from l0_infra import Progress
from l0_infra.core.exec import HostKeyError
from ogai.flows.cluster import Prepared, raise_for_lost
from ogai.render.ask import ask, confirm
from ogai.render.cluster.plan import plan_text
from ogai.render.cluster.progress import showing
from ogai.render.node.looking import looking

__all__ = ["Agreement"]


class Agreement:
    """Leads a person through a change; on leaving, what is on the screen is finished."""

    def __init__(self, *, yes: bool, dry_run: bool) -> None:
        self._yes, self._dry_run = yes, dry_run
        self._stack = ExitStack()
        self._looked: Callable[[object, float], None] = lambda node, seconds: None
        self._show: Callable[[Progress], None] = lambda progress: None

    def __enter__(self) -> Self:
        self._looked = self._stack.enter_context(looking("looked at"))
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._stack.close()

    def looked(self, node: str, seconds: float) -> None:
        """Count a node that was looked at."""
        self._looked(node, seconds)

    def waits(self, text: str) -> None:
        """Say whom is waited for."""
        click.echo(text, err=True)

    def agree(self, prepared: Prepared) -> None:
        """Show a plan, and go on when it is agreed to; leaves the command after a dry run.

        Raises FactsMissingError after a dry run that could not look at all nodes.
        """
        self._stack.close()
        left = prepared.steps_left
        if self._dry_run:
            click.echo(plan_text(prepared), err=True)
            raise_for_lost(prepared.lost)
            raise click.exceptions.Exit(0)
        if any(step.node not in prepared.lost for step in left) or prepared.parted:
            confirm(plan_text(prepared), yes=self._yes)
        elif left:  # only on nodes that do not answer: there is nothing to agree to
            click.echo(plan_text(prepared), err=True)
        self._show = self._stack.enter_context(showing(Counter(step.node for step in left)))

    def accept_key(self, shown: HostKeyError) -> bool:
        """Ask whether the key that a machine shows is its own; agreeing beforehand does not answer that."""
        kind = shown.key_type.removeprefix("ssh-").partition("-")[0]
        own = f"ssh-keygen -l -f /etc/ssh/ssh_host_{kind}_key.pub"
        text = f"{shown.where} shows {shown.found}. Compare it at the machine itself: {own}"
        return not (self._yes or self._dry_run) and ask(text, "Is it the machine's own?")

    def agree_text(self, text: str) -> None:
        """Show what would be done in words, and go on when it is agreed to; leaves the command after a dry run."""
        if self._dry_run:
            click.echo(text, err=True)
            raise click.exceptions.Exit(0)
        confirm(text, yes=self._yes)

    def progress(self, progress: Progress) -> None:
        """Show what happens on a node."""
        self._show(progress)
