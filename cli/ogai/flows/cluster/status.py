"""How a cluster stands as far as is known here: nobody is asked."""

from collections.abc import Sequence
from typing import Literal

import msgspec

from l0_infra import Entry, Ledger, RunRecord
from l0_infra.core.nodeset import fold, natural_key
from l1_podsys import Holder, KnownHealth, cluster_members, controller_name
from l1_podsys.schemas import Verdict
from ogai.flows.cluster.work import wanted_cluster

__all__ = ["NodeStatus", "Status", "status"]

RUNS = 5


class NodeStatus(msgspec.Struct, frozen=True, kw_only=True):
    """One node: what was done on it, what is not, and when it was last at work on."""

    name: str
    state: Literal["ready", "failed", "ended midway", "new", "not in the document"]
    roles: tuple[str, ...]
    done: int
    trouble: str = ""
    last: float | None = None
    health: str = ""
    """The worst severity that checks found of it; empty: none was made."""
    checked_at: float | None = None


class Status(msgspec.Struct, frozen=True, kw_only=True):
    """A cluster as it was last left."""

    cluster: str
    controller: str
    folder: str
    nodes: tuple[NodeStatus, ...]
    runs: tuple[RunRecord, ...]
    at_work: Holder | None = None
    mend: str = ""
    faults: tuple[Verdict, ...] = ()
    """What the newest checks found critical."""


def status(name: str | None = None) -> Status:
    """Tell how each node was left by the runs so far, and what to do next; UsageError when there is no cluster."""
    cluster, place = wanted_cluster(None, name)
    members = cluster_members(cluster)
    by_node: dict[str, list[Entry]] = {member: [] for member in members}
    with Ledger.at(place.ledger) as ledger:
        for entry in ledger.entries().values():
            by_node.setdefault(entry.node, []).append(entry)
        runs = ledger.last_runs(RUNS)
    known = place.load_health()
    nodes = tuple(
        _node(node, sorted(members[node].places - {"all"}) if node in members else [], by_node[node], known)
        for node in sorted(by_node, key=natural_key)
    )
    return Status(
        cluster=cluster.name,
        controller=controller_name(cluster),
        folder=str(place.folder),
        nodes=nodes,
        runs=runs,
        at_work=place.at_work(),
        mend=_mend(nodes),
        faults=tuple(
            one.verdict
            for one in known.verdicts
            if one.verdict.severity == "critical" and one.verdict.node in members
        ),
    )


def _node(name: str, roles: list[str], entries: list[Entry], known: KnownHealth) -> NodeStatus:
    bad = [entry for entry in entries if entry.state != "done"]
    failed = next((entry for entry in bad if entry.state == "failed"), None)
    state: Literal["ready", "failed", "ended midway", "new", "not in the document"] = (
        "not in the document"
        if not roles
        else "failed"
        if failed
        else "ended midway"
        if bad
        else "ready"
        if entries
        else "new"
    )
    trouble = ""
    if bad:
        first = failed or bad[0]
        trouble = f"{first.name}: {first.message.strip().partition(chr(10))[0] or 'was ended midway'}"
    return NodeStatus(
        name=name,
        state=state,
        roles=tuple(roles),
        done=sum(entry.state == "done" for entry in entries),
        trouble=trouble,
        last=max((entry.at for entry in entries), default=None),
        health=known.worst().get(name, ""),
        checked_at=known.looked_at.get(name),
    )


def _mend(nodes: Sequence[NodeStatus]) -> str:
    here = [node for node in nodes if node.state != "not in the document"]
    if bad := [node.name for node in here if node.state != "ready"]:
        return f"ogai cluster up --limit {fold(bad)}"
    sick = [node.name for node in here if node.health == "critical"]
    return f"ogai cluster check {fold(sick)}" if sick else ""
