"""What came of bringing a cluster up, as a result that can be shown or written as JSON."""

from collections import Counter
from collections.abc import Sequence
from typing import Literal

import msgspec

from l0_infra.core.errors import RemoteError
from l0_infra.core.nodeset import fold
from l1_podsys.schemas import Health
from ogai.flows.cluster.fitness import raise_for_verdicts

__all__ = ["Brought", "NodeBrought", "Trouble", "raise_for_failed"]


class Trouble(msgspec.Struct, frozen=True, kw_only=True):
    """Why something was not done: what failed on a node (`task` within `name`), or what it waits for."""

    node: str
    name: str
    state: Literal["failed", "held", "unsound"]
    message: str
    task: str = ""
    log: str = ""


class NodeBrought(msgspec.Struct, frozen=True, kw_only=True):
    """One node: how many steps were as wished, how many were done, failed or held, and what changed on it."""

    name: str
    state: Literal["ready", "failed", "held", "unreachable"]
    held_already: int = 0
    done: int = 0
    failed: int = 0
    held: int = 0
    changed: int = 0
    seconds: float = 0.0


class Brought(msgspec.Struct, frozen=True, kw_only=True):
    """The nodes after a run; `run` is empty when nothing was to be done.

    `edits` are what a person has to write into a document of their own, `document` where that is known.
    """

    cluster: str
    run: str
    seconds: float
    nodes: tuple[NodeBrought, ...]
    troubles: tuple[Trouble, ...] = ()
    folder: str = ""
    health: Health | None = None
    document: str = ""
    edits: tuple[str, ...] = ()

    @property
    def changed(self) -> int:
        """How many tasks changed something."""
        return sum(node.changed for node in self.nodes)

    def bad(self) -> tuple[str, ...]:
        """Name the nodes that are not ready."""
        return tuple(node.name for node in self.nodes if node.state != "ready")


def raise_for_failed(brought: Brought, go_on: str = "ogai cluster up --limit {nodes}") -> None:
    """Raise RemoteError when a node is not ready, else UnhealthyError or FactsMissingError by what was checked.

    `go_on` is the command that goes on with `nodes`, those that are not ready.
    """
    bad = brought.bad()
    if bad:
        raise RemoteError(
            f"cluster `{brought.cluster}`",
            found=f"{len(bad)} of {len(brought.nodes)} nodes not ready: {_count(brought.nodes)}",
            expected="all of them ready",
            hint=f"when it is mended, go on with: {go_on.format(nodes=fold(bad))}",
            retry=True,
        )
    if brought.health is not None:
        raise_for_verdicts(brought.health)


def _count(nodes: Sequence[NodeBrought]) -> str:
    counts = Counter(node.state for node in nodes if node.state != "ready")
    return ", ".join(f"{count} {state}" for state, count in counts.items())
