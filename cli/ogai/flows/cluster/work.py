"""A cluster that is at work on: by one run at a time, with its nodes and its ledger open."""

import contextlib
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

from l0_infra import Ledger
from l0_infra.core.errors import UsageError
from l0_infra.core.exec import Secret
from l0_infra.core.nodeset import fold
from l1_podsys import needs_sudo
from l1_podsys.schemas import Cluster
from ogai.flows.cluster.nodes import Nodes
from ogai.flows.cluster.place import ClusterPlace, place_of, read_cluster
from ogai.flows.node.targets import targets_of_cluster

__all__ = ["OnWait", "Work", "refuse_missing", "wanted_cluster", "work_on"]

OnWait = Callable[[str], None]
"""Called once with who is waited for, before anything is begun."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Work:
    """A cluster at work on: nobody else is, and its nodes and its ledger are open.

    In a `dry_run` nothing is written on this machine or on a node, and the ledger is a copy.
    """

    cluster: Cluster
    place: ClusterPlace
    nodes: Nodes
    ledger: Ledger
    sudo: bool
    password: Secret | None
    dry_run: bool = False


def wanted_cluster(file: Path | None, name: str | None) -> tuple[Cluster, ClusterPlace]:
    """Read the document that is named, else the one that a cluster (None: the current one) was last brought up from.

    The name of a cluster that is kept here stands for its document as it was last applied.
    """
    if file is not None:
        cluster = read_cluster(file)
        return cluster, place_of(cluster.name)
    place = place_of(name)
    return place.load(), place


@contextlib.contextmanager
def work_on(
    cluster: Cluster,
    place: ClusterPlace,
    what: str,
    *,
    password: Secret | None = None,
    dry_run: bool = False,
    on_wait: OnWait = lambda text: None,
) -> Iterator[Work]:
    """Be the only one at work on a cluster for a block; raises EngineError when somebody else is."""
    targets = targets_of_cluster(cluster, password=password)
    alone = _looking(place) if dry_run else place.hold(what, on_wait)
    with alone, Nodes(targets) as nodes, _ledger(place, dry_run=dry_run) as ledger:
        yield Work(
            cluster=cluster,
            place=place,
            nodes=nodes,
            ledger=ledger,
            sudo=needs_sudo(cluster),
            password=password,
            dry_run=dry_run,
        )


@contextlib.contextmanager
def _looking(place: ClusterPlace) -> Iterator[None]:
    """Take no lock, for that would be a file; only see that nobody is at work now."""
    place.refuse_busy()
    yield


def _ledger(place: ClusterPlace, *, dry_run: bool) -> contextlib.AbstractContextManager[Ledger]:
    return Ledger.copy_of(place.ledger) if dry_run else Ledger.at(place.ledger)


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
