"""A cluster that is at work on: by one run at a time, with its nodes and its ledger open."""

import contextlib
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from l0_infra import Ledger
from l0_infra.core.documents import read_document
from l0_infra.core.errors import UsageError
from l0_infra.core.exec import Secret
from l0_infra.core.nodeset import fold
from l1_podsys import needs_sudo
from l1_podsys.schemas import Cluster
from ogai.flows.cluster.nodes import Nodes
from ogai.flows.cluster.place import ClusterPlace, place_of
from ogai.flows.node.targets import targets_of_cluster

__all__ = ["Work", "refuse_missing", "wanted_cluster", "work_on"]


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
    targets = targets_of_cluster(cluster, password=password)
    with place.hold(what), Nodes(targets) as nodes, Ledger.at(place.ledger) as ledger:
        yield Work(
            cluster=cluster,
            place=place,
            nodes=nodes,
            ledger=ledger,
            sudo=needs_sudo(cluster),
            password=password,
        )


def refuse_missing(work: Work) -> None:
    """Raise UsageError for nodes that were brought up and are no longer in the document."""
    wished = work.nodes.targets
    gone = [node for node in work.ledger.nodes() if node not in wished]
    if gone:
        raise UsageError(
            f"cluster `{work.cluster.name}`",
            found=f"no `{fold(gone)}` in the document, which was brought up before",
            expected="all nodes that were brought up",
            hint=f"either take it down: ogai cluster remove {fold(gone)}; or write it into the document, as it is in "
            f"{work.place.document}",
        )
