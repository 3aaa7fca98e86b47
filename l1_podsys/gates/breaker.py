"""Which nodes the checks take out of work and give back: their own drains only, and none when too many fail at once."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from l0_infra.core.units import format_count
from l1_podsys.gates.catalogue import CHECKS
from l1_podsys.schemas import DrainChange, Gates, Verdict
from l1_podsys.slurm import SlurmNode, parse_drain

__all__ = ["GATE", "DrainDecision", "decide_drains"]

GATE = "gate"
"""Owner of the drains that checks set."""

NEVER = frozenset(check.code for check in CHECKS.values() if not check.drains)
ONLY_WHEN_BROKEN = ("node.", "class.")
"""Codes of rules, which are told under their own name only when they are broken."""
NOT_OF_RULES = frozenset(("node.reachable", "node.look"))


@dataclass(frozen=True, kw_only=True, slots=True)
class DrainDecision:
    """What is to be done; `breaker` says why nobody is drained, where that is so."""

    drain: Mapping[str, str]
    """Reasons by node."""
    lift: tuple[str, ...] = ()
    kept: tuple[DrainChange, ...] = ()
    breaker: str = ""

    def changes(self) -> tuple[DrainChange, ...]:
        """Return it as a health document tells it."""
        drained = (
            DrainChange(node=node, change="drained", owner=GATE, reason=reason)
            for node, reason in self.drain.items()
        )
        lifted = (DrainChange(node=node, change="undrained", owner=GATE) for node in self.lift)
        return (*drained, *lifted, *self.kept)


def decide_drains(
    gates: Gates, verdicts: Sequence[Verdict], compute: Sequence[str], slurm: Sequence[SlurmNode]
) -> DrainDecision:
    """Decide by the verdicts on compute nodes that the scheduler knows; another's drain is left alone.

    A drain of ours is lifted when every check that set it was made again and none fails critically.
    """
    known = {node.name: node for node in slurm}
    of = {node: [one for one in verdicts if one.node == node] for node in compute}
    failing = {node: bad for node in compute if (bad := _failing(of[node]))}
    limit = max(gates.breaker_count, int(gates.breaker_share * len(compute)))
    stays, lift = [], []
    for node in compute:
        if node in known and known[node].drained:
            if _lifts(known[node], node in failing, of[node]):
                lift.append(node)
            else:
                stays.append(_kept(known[node]))
    wanted = {
        node: _reason(bad) for node, bad in failing.items() if node in known and not known[node].drained
    }
    tripped = len(failing) > limit
    breaker = (
        f"{format_count(len(failing), 'node')} of {len(compute)} fail, and at most {limit} may for any to be drained"
        if tripped and wanted
        else ""
    )
    return DrainDecision(
        drain={} if tripped else wanted, lift=tuple(lift), kept=tuple(stays), breaker=breaker
    )


def _failing(verdicts: Sequence[Verdict]) -> list[Verdict]:
    return [one for one in verdicts if one.severity == "critical" and one.check not in NEVER]


def _reason(bad: Sequence[Verdict]) -> str:
    codes = ",".join(dict.fromkeys(one.check for one in bad))
    return f"{codes}: {bad[0].found}"


def _kept(node: SlurmNode) -> DrainChange:
    drain = parse_drain(node.reason, node.reason_by)
    return DrainChange(node=node.name, change="kept", owner=drain.owner, reason=drain.reason)


def _lifts(node: SlurmNode, fails: bool, verdicts: Sequence[Verdict]) -> bool:
    drain = parse_drain(node.reason, node.reason_by)
    if fails or not drain.ours or drain.owner != GATE:
        return False
    codes = drain.reason.partition(":")[0].split(",")
    return all(any(_answers(one, code) for one in verdicts) for code in codes)


def _answers(verdict: Verdict, code: str) -> bool:
    """Tell whether a verdict shows that the check of this code was made."""
    if verdict.severity == "unknown":
        return False
    if verdict.check == code:
        return True
    areas: Iterator[str] = (area for area in ONLY_WHEN_BROKEN if code.startswith(area))
    return code not in NOT_OF_RULES and any(
        verdict.check.startswith(area) and verdict.check not in NOT_OF_RULES for area in areas
    )
