"""Take nodes out of work and give them back, through the controller; what another owns is left alone."""

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Protocol

from l0_infra.core.errors import EngineError, UnsatisfiableError
from l0_infra.core.exec import Command, Runner
from l0_infra.core.nodeset import fold
from l1_podsys.slurm.commands import drain_command, show_nodes_command, undrain_command
from l1_podsys.slurm.drain_reason import Drain, parse_drain, render_drain
from l1_podsys.slurm.node import SlurmNode
from l1_podsys.slurm.nodes_text import parse_nodes_text

__all__ = ["Drainer", "SlurmDrainer"]

POLL_S = 2.0
SETTLES = 5


class Drainer(Protocol):
    """Takes nodes out of work for an owner, and gives them back when that owner says so."""

    def nodes(self, names: Sequence[str] = ()) -> tuple[SlurmNode, ...]:
        """Ask for all nodes, or for some; names the scheduler does not know are left out."""

    def drain(
        self, names: Sequence[str], *, owner: str, reason: str, over: Sequence[str] = ()
    ) -> tuple[str, ...]:
        """Drain nodes that nobody else drained, or only owners in `over`, and return their names."""

    def undrain(self, names: Sequence[str], *, owner: str) -> tuple[str, ...]:
        """Give back nodes that this owner drained, and return their names.

        Raises UnsatisfiableError when one of them is another's; nothing is given back then.
        """

    def wait_idle(self, names: Sequence[str], *, deadline_s: float) -> tuple[str, ...]:
        """Wait until nothing runs on the nodes, and return those where something still does at the deadline."""


@dataclass(frozen=True, kw_only=True, slots=True)
class SlurmDrainer:
    """A Drainer over `scontrol`, run on the controller; `account` is who is named as having done it."""

    controller: Runner
    account: str
    sudo: bool = False
    clock: Callable[[], float] = time.time
    sleep: Callable[[float], None] = time.sleep

    def nodes(self, names: Sequence[str] = ()) -> tuple[SlurmNode, ...]:
        """Ask for all nodes, or for some of which those it does not know are left out.

        Raises EngineError when the controller does not answer.
        """
        argv = show_nodes_command(names)
        outcome = self.controller.run(Command(argv=argv, deadline_s=60))
        nodes = parse_nodes_text(outcome.stdout)
        unknown = any(f"Node {name} not found" in outcome.stdout + outcome.stderr for name in names)
        if outcome.ok or (nodes and names) or unknown:
            return nodes
        raise EngineError(
            f"{self.controller.target}: {' '.join(argv)}",
            found=(outcome.stderr.strip() or outcome.stdout.strip() or outcome.describe_end()),
            expected="the nodes of the scheduler",
            hint="look at `systemctl status slurmctld` there",
            retry=True,
        )

    def drain(
        self, names: Sequence[str], *, owner: str, reason: str, over: Sequence[str] = ()
    ) -> tuple[str, ...]:
        """Drain nodes that nobody else drained, or only owners in `over`, and return their names."""
        yielding = {owner, *over}
        free = [
            node.name
            for node in self.nodes(names)
            if not node.drained or parse_drain(node.reason, node.reason_by).owner in yielding
        ]
        if free:
            at = datetime.fromtimestamp(self.clock(), UTC).strftime("%Y-%m-%dT%H:%M:%SZ")
            text = render_drain(Drain(owner=owner, reason=reason, by=self.account, at=at))
            self._update(drain_command(free, text))
        return tuple(free)

    def undrain(self, names: Sequence[str], *, owner: str) -> tuple[str, ...]:
        """Give back nodes that this owner drained; raises UnsatisfiableError when one of them is another's."""
        drained = {
            node.name: parse_drain(node.reason, node.reason_by) for node in self.nodes(names) if node.drained
        }
        foreign = {name: drain for name, drain in drained.items() if drain.owner != owner}
        if foreign:
            raise _refusal(foreign, owner)
        if drained:
            self._update(undrain_command(tuple(drained)))
        return tuple(drained)

    def settled_nodes(self, names: Sequence[str]) -> tuple[SlurmNode, ...]:
        """Ask for all nodes, once these, just given back, were heard of: slurmctld asks them anew, within seconds."""
        nodes = self.nodes()
        for _ in range(SETTLES):
            if not any(node.unsettled for node in nodes if node.name in names):
                break
            self.sleep(POLL_S)
            nodes = self.nodes()
        return nodes

    def wait_idle(self, names: Sequence[str], *, deadline_s: float) -> tuple[str, ...]:
        """Wait until nothing runs on the nodes, and return those where something still does at the deadline."""
        end = self.clock() + deadline_s
        while busy := tuple(node.name for node in self.nodes(names) if node.busy):
            if self.clock() >= end:
                return busy
            self.sleep(POLL_S)
        return ()

    def _update(self, argv: tuple[str, ...]) -> None:
        outcome = self.controller.run(Command(argv=argv, deadline_s=60, sudo=self.sudo))
        outcome.check(hint="only root and the account SlurmUser may drain nodes: does sudo work there?")


def _refusal(foreign: dict[str, Drain], owner: str) -> UnsatisfiableError:
    name, drain = next(iter(foreign.items()))
    whose = f"drained by {drain.owner}: {drain.reason}" + (f" (since {drain.at})" if drain.at else "")
    mend = (
        f"if that is settled: ogai cluster undrain {fold(foreign)} --owner {drain.owner}"
        if drain.ours
        else f"it was not set through ogai: scontrol update NodeName={fold(foreign)} State=RESUME"
    )
    return UnsatisfiableError(
        fold(foreign), found=f"{name} {whose}", expected=f"a drain of {owner}", hint=mend
    )
