"""Whether the nodes that were brought up are fit for work, as deep as the cluster's document asks."""

from collections.abc import Callable, Sequence

from l0_infra.core.nodeset import fold
from l1_podsys.schemas import Health
from ogai.flows.cluster.check import check_cluster
from ogai.flows.cluster.work import Work

__all__ = ["Gate", "gate", "unfit"]

Gate = Callable[[Work, Sequence[str]], Health | None]
"""Checks nodes of a cluster; None when there are none."""


def gate(work: Work, names: Sequence[str]) -> Health | None:
    """Check nodes; None when there are none."""
    if not names:
        return None
    return check_cluster(
        work.cluster, fold(names), level=work.cluster.gates.level, password=work.password
    ).health


def unfit(health: Health | None) -> frozenset[str]:
    """Name the nodes that are not fit for work."""
    verdicts = () if health is None else health.verdicts
    return frozenset(verdict.node for verdict in verdicts if verdict.severity == "critical")
