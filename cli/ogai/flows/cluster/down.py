"""Take a cluster down: what roles left goes from its nodes, and it is forgotten here."""

import shutil
from collections.abc import Callable
from pathlib import Path

from l0_infra.core.exec import Secret
from l0_infra.core.units import format_count
from l1_podsys import cluster_members, controller_name, forget_current
from ogai.flows.cluster.brought import Brought, NodeBrought
from ogai.flows.cluster.roles import Roles, load_all_roles
from ogai.flows.cluster.undo import undo_roles
from ogai.flows.cluster.work import OnWait, wanted_cluster, work_on

__all__ = ["down"]


def down(
    name: str | None = None,
    *,
    purge: bool = False,
    force: bool = False,
    password: Secret | None = None,
    roles: Roles | None = None,
    agree: Callable[[str], None] = lambda text: None,
    on_wait: OnWait = lambda text: None,
) -> Brought:
    """Stop and disable services, take files away (what was there before comes back), and forget the cluster.

    Packages, accounts and data stay; data go with `purge`. Nodes that do not answer keep the cluster known, unless
    `force`.
    """
    cluster, place = wanted_cluster(None, name)
    names = list(cluster_members(cluster))
    what = "what roles left, with all data" if purge else "what roles left; data stay"
    agree(f"cluster {cluster.name}: on {format_count(len(names), 'node')} goes {what}")
    known = roles or load_all_roles()
    with work_on(cluster, place, "ogai cluster down", password=password, on_wait=on_wait) as work:
        controller = controller_name(cluster)
        others = [name for name in names if name != controller]
        troubles = (
            *undo_roles(work, others, known, purge=purge),
            *undo_roles(work, [controller], known, purge=purge),
        )
        bad = {one.node for one in troubles}
        work.ledger.forget([name for name in names if name not in bad])
    if not bad or force:
        _forget(place.folder, place.home, cluster.name)
    return Brought(
        cluster=cluster.name,
        run="",
        seconds=0.0,
        nodes=tuple(_node(name, bad) for name in names),
        troubles=troubles,
    )


def _node(name: str, bad: set[str]) -> NodeBrought:
    return NodeBrought(name=name, state="failed" if name in bad else "ready", failed=int(name in bad))


def _forget(folder: Path, home: Path, name: str) -> None:
    shutil.rmtree(folder)
    forget_current(home, name)
