"""The facts of nodes."""

from collections.abc import Sequence
from pathlib import Path

from l0_infra.core.exec import LocalRunner, SshPool
from l0_infra.schemas import NodeFacts
from ogai.flows.node.survey import LIMIT_S, OnLooked, look_at, survey
from ogai.flows.node.targets import Target, choose_targets

__all__ = ["facts", "facts_of_targets"]


def facts(
    nodes: str | None = None,
    *,
    hosts: str | None = None,
    cluster: str | Path | None = None,
    sudo: bool = False,
    limit_s: int = LIMIT_S,
    on_looked: OnLooked | None = None,
) -> tuple[NodeFacts, ...]:
    """Look at nodes of a cluster document, at hosts as ssh knows them, or (neither given) at this machine.

    Each is asked once, and each of its facts may take `limit_s` seconds. What cannot be read is None and listed
    in `unread`; of a node that cannot be reached that is all there is. Raises UsageError and DocumentError for
    what is meant badly, RemoteError when this machine refuses to be looked at.
    """
    targets = choose_targets(
        nodes, hosts=hosts, cluster=None if cluster is None else Path(cluster), sudo=sudo
    )
    return facts_of_targets(targets, limit_s=limit_s, on_looked=on_looked)


def facts_of_targets(
    targets: Sequence[Target], *, limit_s: int, on_looked: OnLooked | None, pool: SshPool | None = None
) -> tuple[NodeFacts, ...]:
    """Look at targets; this machine alone raises what it cannot do, instead of telling it among its facts."""
    if targets[0].address is None:
        with LocalRunner() as runner:
            return (look_at(runner, targets[0], limit_s=limit_s),)
    return survey(targets, limit_s=limit_s, on_looked=on_looked, pool=pool)
