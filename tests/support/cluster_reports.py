"""Clusters to report on, made up: what checks, runs and looks left of them."""

from collections.abc import Iterator
from dataclasses import replace

import msgspec

from l0_infra import Entry, RunRecord
from l1_podsys import CHECKS, GateRecord, KnownHealth, cluster_members, controller_name, health_with
from l1_podsys.schemas import Cluster, ClusterState, Health, NodeGroup, NodeState, SchedulerAccess, Verdict
from ogai.flows.cluster import ClusterReport, Deviation, Deviations

__all__ = ["NOW", "small_report", "unchecked", "wide_report"]

NOW = 1_790_000_000.0
ROLES = ("base", "time", "names", "users", "storage", "munge", "slurm_node", "runtime", "node_exporter")


def small_report() -> ClusterReport:
    """Four nodes, all well but one that is slow and one with a full disk."""
    return _report(
        (NodeGroup(names="hub", roles=("head", "compute"), addresses="10.9.0.1"), _group("n[1-3]", "hgx"))
    )


def wide_report(size: int = 1000) -> ClusterReport:
    """Many nodes of three classes, of which some are unwell, one was not brought up and one is of another version."""
    third = size // 3
    groups = (
        NodeGroup(names="hub", roles=("head", "login"), addresses="10.9.0.1"),
        _group(f"gpu[0001-{third:04}]", "h100x8"),
        _group(f"gpu[{third + 1:04}-{2 * third:04}]", "h200x8"),
        _group(f"cpu[0001-{size - 2 * third:04}]", "cpu"),
    )
    return _report(groups)


def unchecked(report: ClusterReport) -> ClusterReport:
    """The same before anything was checked, measured or brought up."""
    return replace(
        report, health=KnownHealth(), state=None, record=GateRecord(), entries=(), runs=(), deviations=None
    )


def _group(names: str, node_class: str) -> NodeGroup:
    return NodeGroup(names=names, roles=("compute",), node_class=node_class)


def _report(groups: tuple[NodeGroup, ...]) -> ClusterReport:
    cluster = Cluster(name="pod7", nodes=groups)
    names = list(cluster_members(cluster))
    health = Health(
        cluster="pod7", level="medium", checked_at=NOW - 600, verdicts=tuple(_verdicts(names)), breaker=""
    )
    return ClusterReport(
        cluster=cluster,
        controller=controller_name(cluster),
        health=health_with(KnownHealth(), health, names),
        state=ClusterState(
            name="pod7",
            nodes=tuple(
                NodeState(name=name, cpus=64, memory_bytes=2**39, state=_state(i))
                for i, name in enumerate(names)
            ),
            scheduler=SchedulerAccess(engine="slurm", host=names[0]),
        ),
        record=GateRecord(
            baselines={
                "hgx": {"cpu": (4.1e9, 4.2e9, 4.15e9), "memory": (3.1e11, 3.0e11), "matrix": (6.1e14,)}
            }
        ),
        entries=tuple(_entries(names)),
        runs=(
            RunRecord(
                id="20260922-101112", what="up", began_at=NOW - 900, ended_at=NOW - 700, outcome="done"
            ),
            RunRecord(
                id="20260922-090000", what="up", began_at=NOW - 5000, ended_at=NOW - 4100, outcome="failed"
            ),
            RunRecord(id="20260921-180000", what="upgrade", began_at=NOW - 60000),
        ),
        deviations=Deviations(
            cluster="pod7",
            nodes=len(names),
            deviations=(
                Deviation(node=names[-1], name="time", reason="drifted", what="file /etc/chrony/chrony.conf"),
            ),
        ),
        at=NOW,
    )


def _state(index: int) -> str:  # type: ignore[return]
    return "drained" if index % 97 == 3 else "idle"


def _verdicts(names: list[str]) -> Iterator[Verdict]:
    for index, name in enumerate(names):
        for place, check in enumerate(CHECKS.values()):
            severity, found = "ok", "as expected"
            if index % 97 == 3 and check.code == "disk.full":
                severity, found = "critical", "/ is 98 % full"
            elif index % 61 == 2 and check.code in ("memory.bandwidth", "cpu.speed"):
                severity, found = "warning", "0.81 of the class"
            elif index % 211 == 5 and place > 6:
                severity, found = "unknown", "the node hung"
            verdict = Verdict(
                node=name,
                check=check.code,
                severity="ok",
                found=found,
                expected=check.expected,
                hint=check.hint,
            )
            yield msgspec.structs.replace(verdict, severity=severity)


def _entries(names: list[str]) -> Iterator[Entry]:
    for index, name in enumerate(names):
        for place, role in enumerate(ROLES):
            failed = index == len(names) - 2 and role == "runtime"
            version = "4.5-1" if index % 301 == 3 else "4.3-2"
            yield Entry(
                id=f"{name}:{role}",
                node=name,
                name=role,
                key="k",
                state="failed" if failed else "done",
                at=NOW - 900 + place,
                seconds=2.0 + 3 * place + index % 7,
                message="no space left on device" if failed else "",
                found=f'{{"package chrony": "{version}", "file /etc/x": "0644"}}' if role == "time" else None,
            )
