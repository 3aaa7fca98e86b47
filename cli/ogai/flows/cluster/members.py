"""Nodes join a cluster or leave it; nobody else is touched but the controller."""

from collections.abc import Callable, Sequence
from time import time

from l0_infra import OnProgress, find_ansible
from l0_infra.core.errors import UsageError
from l0_infra.core.exec import Secret
from l0_infra.core.nodeset import expand, fold
from l1_podsys import cluster_members, with_nodes, without_nodes
from l1_podsys.schemas import Cluster
from ogai.flows.cluster.brought import Brought
from ogai.flows.cluster.gate import Gate, gate
from ogai.flows.cluster.membership import with_edits
from ogai.flows.cluster.out_of_work import REMOVAL, drainer_for, forget_in_scheduler, take_out_of_work
from ogai.flows.cluster.prepare import Prepared
from ogai.flows.cluster.roles import Roles, load_all_roles
from ogai.flows.cluster.survey import OnNode
from ogai.flows.cluster.undo import undo_roles
from ogai.flows.cluster.up import bring_up, checked
from ogai.flows.cluster.work import OnWait, wanted_cluster, work_on

__all__ = ["add", "remove"]

WAIT_S = 3600.0

Agree = Callable[[Prepared], None]


def add(
    nodes: str,
    *,
    name: str | None = None,
    addresses: str | None = None,
    like: str | None = None,
    password: Secret | None = None,
    roles: Roles | None = None,
    agree: Agree = lambda prepared: None,
    on_node: OnNode | None = None,
    on_progress: OnProgress = lambda progress: None,
    on_wait: OnWait = lambda text: None,
    check: Gate | None = gate,
    dry_run: bool = False,
) -> Brought:
    """Add nodes to a cluster and bring them up: they are looked at, and the controller, and nobody else.

    A `dry_run` changes nothing, and what would be done counts as held. Raises UsageError for names that are there
    already, or when there are not as many addresses.
    """
    cluster, place = wanted_cluster(None, name)
    listed = () if addresses is None else expand(addresses)
    wider = with_nodes(cluster, expand(nodes), addresses=listed, like=like)
    with work_on(
        wider, place, "ogai cluster add", password=password, dry_run=dry_run, on_wait=on_wait
    ) as work:
        brought = bring_up(
            work,
            expand(nodes),
            roles=roles or load_all_roles(),
            agree=agree,
            on_node=on_node,
            on_progress=on_progress,
            what="add",
        )
        return with_edits(checked(work, brought, check), place, cluster, wider)


def remove(
    nodes: str,
    *,
    name: str | None = None,
    wait_s: float = WAIT_S,
    force: bool = False,
    password: Secret | None = None,
    roles: Roles | None = None,
    agree: Callable[[str], None] = lambda text: None,
    on_node: OnNode | None = None,
    on_progress: OnProgress = lambda progress: None,
    on_wait: OnWait = lambda text: None,
) -> Brought:
    """Take nodes out of a cluster: drained, idle, their services stopped, forgotten, and the controller told.

    With `force` nothing is waited for, and nodes that cannot be reached are forgotten all the same. Raises EngineError
    when work still runs there after `wait_s`, UsageError for a node that the cluster cannot be without.
    """
    cluster, place = wanted_cluster(None, name)
    names = _known(cluster, nodes)
    left = without_nodes(cluster, names)
    find_ansible()
    agree(
        f"{fold(names)} leave{'s' if len(names) == 1 else ''} cluster {cluster.name}: what roles left there goes"
    )
    known = roles or load_all_roles()
    with work_on(cluster, place, "ogai cluster remove", password=password, on_wait=on_wait) as work:
        drainer = drainer_for(work)
        place.save_notes(place.load_notes().settled(names))
        if not force:
            take_out_of_work(
                work, drainer, names, owner=REMOVAL, reason="it leaves the cluster", wait_s=wait_s
            )
        troubles = undo_roles(work, names, known)
        if not (troubles and not force):
            forget_in_scheduler(work, names)
            work.ledger.forget(names)
            place.save(left)
            place.save_notes(place.load_notes().without(names, time()))
    if troubles and not force:
        return Brought(cluster=cluster.name, run="", seconds=0.0, nodes=(), troubles=troubles)
    with work_on(left, place, "ogai cluster remove", password=password) as work:
        brought = bring_up(
            work,
            (),
            roles=known,
            agree=lambda prepared: None,
            on_node=on_node,
            on_progress=on_progress,
            what="remove",
        )
    return with_edits(brought, place, cluster, left)


def _known(cluster: Cluster, nodes: str) -> Sequence[str]:
    names, members = expand(nodes), cluster_members(cluster)
    strangers = [name for name in names if name not in members]
    if strangers or not names:
        raise UsageError(
            f"node set of cluster `{cluster.name}`",
            found=f"`{fold(strangers)}`, which it lacks" if strangers else "no name",
            expected=f"nodes of {fold(members)}",
        )
    return names
