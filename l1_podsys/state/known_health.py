"""What checks found of each node, the newest of each depth: a quick look at four nodes forgets no night of burn-in."""

from collections.abc import Mapping, Sequence

import msgspec

from l0_infra.core.nodeset import natural_key
from l1_podsys.schemas import Health, Verdict

__all__ = ["KnownHealth", "KnownVerdict", "health_with"]

SEVERITIES = ("ok", "unknown", "warning", "critical")
"""Severities, the worst last."""

DEPTH: Mapping[str, int] = {"quick": 0, "medium": 1, "burnin": 2}


class KnownVerdict(msgspec.Struct, frozen=True, kw_only=True):
    """A verdict, and the check it came of."""

    verdict: Verdict
    level: str
    at: float


class KnownHealth(msgspec.Struct, frozen=True, kw_only=True):
    """The verdicts that hold as far as is known, and when each node was last looked at."""

    verdicts: tuple[KnownVerdict, ...] = ()
    looked_at: Mapping[str, float] = msgspec.field(default_factory=dict)
    breaker: str = ""

    def worst(self) -> Mapping[str, str]:
        """Name the worst that is known of each node; one of which nothing is known is left out."""
        found: dict[str, str] = {}
        for verdict in (one.verdict for one in self.verdicts):
            found[verdict.node] = max(found.get(verdict.node, "ok"), verdict.severity, key=SEVERITIES.index)
        return found


def health_with(known: KnownHealth, health: Health, nodes: Sequence[str]) -> KnownHealth:
    """Take in a round of checks of these nodes: it replaces what earlier ones found there, except what went deeper.

    What is known of nodes that were not looked at stays.
    """
    seen = {*nodes, *(verdict.node for verdict in health.verdicts)}
    depth = DEPTH[health.level]
    kept = [one for one in known.verdicts if one.verdict.node not in seen or DEPTH[one.level] > depth]
    told = {(verdict.node, verdict.check) for verdict in health.verdicts}
    kept = [one for one in kept if (one.verdict.node, one.verdict.check) not in told]
    new = [KnownVerdict(verdict=one, level=health.level, at=health.checked_at) for one in health.verdicts]
    return KnownHealth(
        verdicts=tuple(sorted((*kept, *new), key=lambda one: natural_key(one.verdict.node))),
        looked_at={**known.looked_at, **dict.fromkeys(seen, health.checked_at)},
        breaker=health.breaker,
    )
