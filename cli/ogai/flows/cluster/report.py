"""Gathers all that is known of a cluster for a report, so that drawing it needs no other look."""

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

from l0_infra import Entry, Ledger, RunRecord
from l0_infra.core.exec import Secret
from l1_podsys import GateRecord, KnownHealth, cluster_members, controller_name, load_record
from l1_podsys.schemas import Cluster, ClusterState
from ogai.flows.cluster.diff import Deviations, diff
from ogai.flows.cluster.work import wanted_cluster

__all__ = ["ClusterReport", "gather_report", "report_path"]

RUNS = 10
Differ = Callable[..., Deviations]


@dataclass(frozen=True, kw_only=True, slots=True)
class ClusterReport:
    """What a report is made from; without a look, `deviations` is None."""

    cluster: Cluster
    controller: str
    health: KnownHealth
    state: ClusterState | None
    record: GateRecord
    entries: Sequence[Entry]
    """What was done on each node, by role."""
    runs: Sequence[RunRecord]
    """The newest first."""
    deviations: Deviations | None
    at: float
    """When it was gathered, in seconds since the epoch."""


def gather_report(
    name: str | None = None, *, drift: bool = False, password: Secret | None = None, differ: Differ = diff
) -> ClusterReport:
    """Read what is kept of a cluster (None: the current one); with `drift` its nodes are looked at, too.

    Raises UsageError when there is no such cluster, EngineError for a file that cannot be read.
    """
    cluster, place = wanted_cluster(None, name)
    entries, runs = _done(place.ledger)
    members = cluster_members(cluster)
    return ClusterReport(
        cluster=cluster,
        controller=controller_name(cluster),
        health=place.load_health(),
        state=place.load_state(),
        record=load_record(place.gates),
        entries=[entry for entry in entries if entry.node in members],
        runs=runs,
        deviations=differ(name=cluster.name, password=password) if drift else None,
        at=time.time(),
    )


def report_path(report: ClusterReport, to: Path | None) -> Path:
    """Say where a report goes: `to`, else beside the reader, under the cluster's name."""
    return (to or Path(f"{report.cluster.name}.html")).absolute()


def _done(path: Path) -> tuple[Sequence[Entry], Sequence[RunRecord]]:
    if not path.exists():
        return (), ()
    with Ledger.at(path) as ledger:
        return tuple(ledger.entries().values()), ledger.last_runs(RUNS)
