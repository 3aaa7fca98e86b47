"""The clusters that are kept on this machine, and which of them is meant where none is named."""

import os
from collections import Counter
from pathlib import Path
from typing import Literal

import msgspec

from l0_infra import Ledger
from l0_infra.core.errors import OgaiError, UsageError
from l0_infra.core.store import ogai_home
from l1_podsys import ClusterPlace, KnownHealth, cluster_members, current_name, known_names, make_current
from l1_podsys.schemas import Cluster

__all__ = ["KeptCluster", "list_clusters", "use"]


class KeptCluster(msgspec.Struct, frozen=True, kw_only=True):
    """A cluster as it is kept here; `trouble` says why it cannot be read, and then the rest is unknown."""

    name: str
    current: bool
    nodes: int = 0
    scheduler: Literal["slurm", "local"] | None = None
    health: dict[str, int] = {}
    """How many nodes checks found how: `ok`, `warning`, `critical`, `unknown`, `not checked`."""
    checked_at: float | None = None
    applied_at: float | None = None
    applied: str = ""
    trouble: str = ""


def use(name: str) -> KeptCluster:
    """Have a cluster be the current one. Raises UsageError for one that is not kept here."""
    home = ogai_home(os.environ)
    if name not in known_names(home):
        names = ", ".join(known_names(home))
        raise UsageError(
            f"cluster `{name}`",
            found="no such cluster here",
            expected=f"one of {names}" if names else "a cluster that was brought up from here",
            hint="ogai cluster up FILE brings one up",
        )
    make_current(home, name)
    return _kept(home, name)


def list_clusters() -> tuple[KeptCluster, ...]:
    """List the clusters that were brought up from here, by name; nobody is asked."""
    home = ogai_home(os.environ)
    return tuple(_kept(home, name) for name in known_names(home))


def _kept(home: Path, name: str) -> KeptCluster:
    place, current = ClusterPlace(home=home, name=name), name == current_name(home)
    try:
        cluster, known = place.load(), place.load_health()
        applied_at, applied = _applied(place)
    except OgaiError as error:
        return KeptCluster(name=name, current=current, trouble=f"{error.where}: {error.found}")
    return KeptCluster(
        name=name,
        current=current,
        nodes=len(cluster_members(cluster)),
        scheduler=cluster.scheduler.engine,
        health=_counted(cluster, known),
        checked_at=max(known.looked_at.values(), default=None),
        applied_at=applied_at,
        applied=applied,
    )


def _applied(place: ClusterPlace) -> tuple[float | None, str]:
    """Say when the last run began that changed something, and how it ended."""
    if not place.ledger.exists():
        return None, ""
    with Ledger.at(place.ledger) as ledger:
        runs = ledger.last_runs(1)
    return (runs[0].began_at, runs[0].outcome or "not ended") if runs else (None, "")


def _counted(cluster: Cluster, known: KnownHealth) -> dict[str, int]:
    """Count nodes by the worst that is known of each."""
    worst = known.worst()
    return dict(Counter(worst.get(name, "not checked") for name in cluster_members(cluster)))
