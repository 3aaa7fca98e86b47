"""How a cluster stands as far as is known here: nobody is asked."""

from collections.abc import Mapping
from typing import Literal

import msgspec

from l0_infra import Entry, Ledger, RunRecord
from l0_infra.core.nodeset import fold, natural_key
from l1_podsys import Holder, cluster_members, controller_name
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


class Status(msgspec.Struct, frozen=True, kw_only=True):
    """A cluster as it was last left."""

    cluster: str
    controller: str
    folder: str
    nodes: tuple[NodeStatus, ...]
    runs: tuple[RunRecord, ...]
    at_work: Holder | None = None
    mend: str = ""


def status(name: str | None = None) -> Status:
    """Tell how each node was left by the runs so far, and what to do next; UsageError when there is no cluster."""
    cluster, place = wanted_cluster(None, name)
    members = cluster_members(cluster)
    by_node: dict[str, list[Entry]] = {member: [] for member in members}
    with Ledger.at(place.ledger) as ledger:
        for entry in ledger.entries().values():
            by_node.setdefault(entry.node, []).append(entry)
        runs = ledger.last_runs(RUNS)
    nodes = tuple(
        _node(node, sorted(members[node].places - {"all"}) if node in members else [], by_node[node])
        for node in sorted(by_node, key=natural_key)
    )
    return Status(
        cluster=cluster.name,
        controller=controller_name(cluster),
        folder=str(place.folder),
        nodes=nodes,
        runs=runs,
        at_work=place.at_work(),
        mend=_mend({node.name: node.state for node in nodes}),
    )


def _node(name: str, roles: list[str], entries: list[Entry]) -> NodeStatus:
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
    )


def _mend(states: Mapping[str, str]) -> str:
    bad = [node for node, state in states.items() if state not in ("ready", "not in the document")]
    return f"ogai cluster up --limit {fold(bad)}" if bad else ""
