"""The loop `ogai cluster watch`: L1's watch over checks of a cluster, each with connections of its own."""

from collections.abc import Iterator

from l0_infra.core.exec import Secret
from l1_podsys import Round, watch_health
from l1_podsys.schemas import Health
from ogai.flows.cluster.check import Level, check

__all__ = ["watch_cluster"]


def watch_cluster(
    nodes: str | None,
    *,
    cluster: str | None,
    level: Level,
    drain: bool | None,
    every_s: float,
    password: Secret | None = None,
) -> Iterator[Round]:
    """Check a cluster every so many seconds, and drain and give back as a single check does."""

    def once() -> Health:
        return check(nodes, cluster=cluster, level=level, drain=drain, password=password).health

    return watch_health(once, every_s=every_s)
