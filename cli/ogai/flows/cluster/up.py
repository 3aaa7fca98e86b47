"""Bring a cluster up, or as much of it as is named: look, plan, ask, carry out, look again."""

import contextlib
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

from l0_infra import Ledger, OnProgress
from l0_infra.core.documents import read_document
from l0_infra.core.errors import UsageError
from l0_infra.core.exec import Secret
from l0_infra.core.nodeset import fold
from l1_podsys import controller_name, needs_sudo
from l1_podsys.schemas import Cluster
from ogai.flows.cluster.brought import Brought
from ogai.flows.cluster.carry import SILENCE_S, carry_out
from ogai.flows.cluster.nodes import Nodes
from ogai.flows.cluster.place import ClusterPlace, place_of
from ogai.flows.cluster.prepare import OnNode, Prepared, Roles, load_all_roles, prepare
from ogai.flows.cluster.state import observe
from ogai.flows.node.targets import cluster_targets

__all__ = ["Work", "up", "wanted_cluster", "work_on"]

Agree = Callable[[Prepared], None]
"""Called with what would be done, before anything is; raises when it shall not be."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Work:
    """A cluster at work on: nobody else is, and its nodes and its ledger are open."""

    cluster: Cluster
    place: ClusterPlace
    nodes: Nodes
    ledger: Ledger
    sudo: bool
    password: Secret | None


def wanted_cluster(file: Path | None, name: str | None) -> tuple[Cluster, ClusterPlace]:
    """Read the document that is named, else the one that a cluster (None: the current one) was last brought up from."""
    if file is not None:
        cluster = read_document(file, expect=Cluster)
        return cluster, place_of(cluster.name)
    place = place_of(name)
    return place.load(), place


@contextlib.contextmanager
def work_on(
    cluster: Cluster, place: ClusterPlace, what: str, *, password: Secret | None = None
) -> Iterator[Work]:
    """Be the only one at work on a cluster for a block."""
    targets = cluster_targets(cluster, password=password)
    with place.hold(what), Nodes(targets) as nodes, Ledger.at(place.ledger) as ledger:
        yield Work(
            cluster=cluster,
            place=place,
            nodes=nodes,
            ledger=ledger,
            sudo=needs_sudo(cluster),
            password=password,
        )


def up(
    file: str | Path | None = None,
    *,
    name: str | None = None,
    limit: str | None = None,
    full: bool = False,
    password: Secret | None = None,
    silence_s: float = SILENCE_S,
    roles: Roles | None = None,
    agree: Agree = lambda prepared: None,
    on_node: OnNode | None = None,
    on_progress: OnProgress = lambda progress: None,
) -> Brought:
    """Make a cluster as its document says; `limit` names the nodes meant, and the controller is always among them.

    What holds already is passed over, unless `full`. One node that fails stops itself and what waits for it. Raises
    DocumentError and UsageError for what is meant badly, EngineError when somebody else is at work on the cluster.
    """
    cluster, place = wanted_cluster(None if file is None else Path(file), name)
    names = [str(target.name) for target in cluster_targets(cluster, limit)]
    with work_on(cluster, place, "ogai cluster up", password=password) as work:
        return bring_up(
            work,
            names,
            full=full,
            silence_s=silence_s,
            roles=roles or load_all_roles(),
            agree=agree,
            on_node=on_node,
            on_progress=on_progress,
        )


def bring_up(
    work: Work,
    names: list[str],
    *,
    full: bool = False,
    silence_s: float = SILENCE_S,
    roles: Roles,
    agree: Agree,
    on_node: OnNode | None,
    on_progress: OnProgress,
    what: str = "up",
) -> Brought:
    """Bring nodes of a cluster up that is at work on."""
    prepared = prepare(
        work.cluster,
        work.place,
        names,
        work.nodes,
        work.ledger,
        roles=roles,
        sudo=work.sudo,
        full=full,
        on_node=on_node,
    )
    _refuse_lost_from_document(work)
    agree(prepared)
    work.place.save(work.cluster)
    brought = carry_out(
        prepared,
        work.nodes,
        work.ledger,
        what,
        sudo=work.sudo,
        password=work.password,
        silence_s=silence_s,
        on_progress=on_progress,
    )
    work.place.save_state(observe(prepared, brought, controller_name(work.cluster)))
    return brought


def _refuse_lost_from_document(work: Work) -> None:
    """Raise UsageError for nodes that were brought up and are no longer in the document."""
    wished = work.nodes.targets
    gone = [node for node in work.ledger.nodes() if node not in wished]
    if gone:
        raise UsageError(
            f"cluster `{work.cluster.name}`",
            found=f"no `{fold(gone)}` in the document, which was brought up before",
            expected="all nodes that were brought up",
            hint=f"ogai cluster remove {fold(gone)}",
        )
