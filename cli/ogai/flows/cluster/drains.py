"""Take nodes out of work and give them back; only the owner of a drain lifts it."""

import getpass
import os
from collections.abc import Collection, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from time import time

from l0_infra.core.errors import UnsatisfiableError, UsageError
from l0_infra.core.exec import Secret
from l1_podsys import (
    GATE,
    SlurmDrainer,
    controller_of,
    load_record,
    needs_sudo,
    parse_drain,
    plain_reason,
    save_record,
)
from l1_podsys.schemas import Cluster, DrainChange
from ogai.flows.cluster.nodes import Nodes
from ogai.flows.cluster.places import cluster_folder, wanted_cluster
from ogai.flows.node.targets import targets_of_cluster

__all__ = ["account", "drain", "drainer_of", "note_given_back", "undrain"]


@dataclass(frozen=True, kw_only=True, slots=True)
class _Asked:
    cluster: Cluster
    names: tuple[str, ...]
    drainer: SlurmDrainer


def drain(
    nodes: str,
    *,
    reason: str,
    cluster: str | Path | None = None,
    owner: str | None = None,
    password: Secret | None = None,
) -> tuple[DrainChange, ...]:
    """Let nodes finish what they run and take nothing new, in the name of `owner` (None: the account that asks).

    The reason becomes one line. A drain of the checks is taken over; any other is kept, and told. Raises
    UnsatisfiableError for nodes that the scheduler does not know, EngineError when it does not answer.
    """
    own, reason = owner or account(), plain_reason(reason)
    with _asked(nodes, cluster, password) as asked:
        before = {node.name: node for node in asked.drainer.nodes(asked.names)}
        _refuse_unknown(asked, before.keys())
        done = asked.drainer.drain(asked.names, owner=own, reason=reason, over=(GATE,))
    return tuple(
        DrainChange(node=name, change="drained", owner=own, reason=reason)
        if name in done
        else DrainChange(
            node=name,
            change="kept",
            owner=parse_drain(found.reason, found.reason_by).owner,
            reason=parse_drain(found.reason, found.reason_by).reason,
        )
        for name, found in before.items()
    )


def undrain(
    nodes: str,
    *,
    cluster: str | Path | None = None,
    owner: str | None = None,
    password: Secret | None = None,
) -> tuple[DrainChange, ...]:
    """Give back nodes that `owner` drained (None: the account that asks).

    Raises UnsatisfiableError when one of them is another's drain, and then none is given back.
    """
    own = owner or account()
    with _asked(nodes, cluster, password) as asked:
        _refuse_unknown(asked, {node.name for node in asked.drainer.nodes(asked.names)})
        done = asked.drainer.undrain(asked.names, owner=own)
    note_given_back(asked.cluster, done)
    return tuple(DrainChange(node=name, change="undrained", owner=own) for name in done)


def drainer_of(cluster: Cluster, nodes: Nodes) -> SlurmDrainer:
    """Return what drains the nodes of a cluster, over its controller."""
    runner = nodes.runner(controller_of(cluster).name)
    return SlurmDrainer(controller=runner, account=account(), sudo=needs_sudo(cluster))


def note_given_back(cluster: Cluster, names: tuple[str, ...]) -> None:
    """Note that what the kernels of nodes told until now is settled."""
    if names:
        path = cluster_folder(cluster.name) / "gates.json"
        save_record(path, load_record(path).with_given_back(names, time()))


def account() -> str:
    """Name who asks: the person behind sudo, where there is one."""
    return os.environ.get("SUDO_USER") or getpass.getuser()


@contextmanager
def _asked(nodes: str, path: str | Path | None, password: Secret | None) -> Iterator[_Asked]:
    cluster = wanted_cluster(path)
    if cluster.scheduler.engine != "slurm":
        raise UsageError(
            f"cluster `{cluster.name}`",
            found=f"the scheduler `{cluster.scheduler.engine}`",
            expected="`slurm`, which can drain nodes",
        )
    names = tuple(str(target.name) for target in targets_of_cluster(cluster, nodes))
    with Nodes(targets_of_cluster(cluster, password=password)) as reached:
        yield _Asked(cluster=cluster, names=names, drainer=drainer_of(cluster, reached))


def _refuse_unknown(asked: _Asked, known: Collection[str]) -> None:
    missing = [name for name in asked.names if name not in known]
    if missing:
        raise UnsatisfiableError(
            f"scheduler of `{asked.cluster.name}`",
            found=f"{', '.join(missing)} unknown to it",
            expected="nodes that it knows",
            hint="ogai cluster check says why a node does not register",
        )
