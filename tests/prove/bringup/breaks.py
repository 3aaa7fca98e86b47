"""One host broken in each way that `lab break` knows: named and no other, at work and while it is brought up."""

import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from bringup.begun import Begun
from bringup.stage import Stage, hold_all, until
from tests.support.real_clusters import Answer

__all__ = ["AT_WORK", "BREAKS", "prove_breaks_at_work", "prove_breaks_meanwhile"]


@dataclass(frozen=True, kw_only=True, slots=True)
class Sign:
    """By which verdict a check tells a break."""

    checks: tuple[str, ...]
    level: str = "quick"
    severity: str = "critical"
    after_s: float = 0.0
    """How long it has lasted when it is told."""
    stops: bool = True
    """Whether a node that is so broken cannot be brought up; else it may be, only slower."""


GONE = Sign(checks=("node.reachable",))
BREAKS: Mapping[str, Sign] = {
    "power-off": GONE,
    "cable": GONE,
    "freeze": GONE,
    "kill-sshd": GONE,
    "disk-full": Sign(checks=("disk.full", "disk.write")),
    "slow-cpu": Sign(checks=("cpu.speed",), level="medium", stops=False),
    "slow-net": Sign(checks=("network.speed",), level="medium", stops=False),
    "lock-apt": Sign(checks=("node.package-lock",), severity="warning", after_s=310.0, stops=False),
}
AT_WORK = tuple(BREAKS)
SILENCE_S = 240
"""After so long without a word a node counts as lost while it is brought up."""


def prove_breaks_at_work(stage: Stage, kinds: Sequence[str]) -> None:
    """Break a node of a cluster at work, check, mend it, and check again."""
    for kind in kinds:
        _prove_one(stage, kind, stage.rng.choice(stage.cluster.hosts[1:]))
    hold_all(stage)


def _prove_one(stage: Stage, kind: str, node: str) -> None:
    sign = BREAKS[kind]
    stage.tell(f"{kind} of {node} at work")
    _break(stage, kind, node)
    stage.ledger.done[f"{kind} at work"] += 1
    time.sleep(sign.after_s)
    try:
        found = stage.cluster.cluster("check", "--level", sign.level)
        _judge(stage, kind, node, found)
    finally:
        stage.expect("a host is healed", stage.cluster.ogai("lab", "heal", node), 0)
    if sign.level != "quick":  # what a deeper check drained, a quick one does not give back
        until(lambda: not stage.cluster.cluster("check", "--level", sign.level).verdicts("critical"))
    well = until(lambda: stage.cluster.cluster("check").code == 0)
    said = "" if well else stage.cluster.ogai("cluster", "check").out[-600:]
    stage.check("a check after the mend is green", *([] if well else [f"after {kind} of {node}: {said}"]))


def _judge(stage: Stage, kind: str, node: str, found: Answer) -> None:
    sign = BREAKS[kind]
    critical, unknown, told = (found.verdicts(word) for word in ("critical", "unknown", sign.severity))
    others = [f"{kind} of {node}: {other} {check}" for other, check in critical if other != node]
    stage.check("no other node is named", *others)
    if sign.level == "medium" and not critical and {check for _, check in unknown} & set(sign.checks):
        stage.ledger.done[f"{kind} at work, machine too busy to judge"] += 1
        return
    fails = sign.severity == "critical"
    named = any((node, check) in told for check in sign.checks)
    right = named and (found.code == 6) == fails
    words = f"{kind} of {node}: exit code {found.code}, {sign.severity}: {told}"
    stage.check("the node is named by the right verdict", *([] if right else [words]))


def prove_breaks_meanwhile(stage: Stage, kinds: Sequence[str]) -> None:
    """Break the last nodes, each by another kind, while all are brought up: the others come up; mended, they follow."""
    begun = Begun(stage.cluster, words=("--host-timeout", str(SILENCE_S)))
    broken = dict(zip(reversed(stage.cluster.hosts), kinds, strict=False))
    place = begun.await_place(stage.rng)
    for node, kind in broken.items():
        _break(stage, kind, node)
        stage.ledger.done[f"{kind} while brought up"] += 1
    stage.tell(f"broken, {place}: {broken}")
    began = time.monotonic()
    answer = begun.end()
    stage.tell(f"ended {time.monotonic() - began:.0f} s later: {answer.code}")
    _judge_meanwhile(stage, broken, answer.bad())
    for node in broken:
        stage.expect("a host is healed", stage.cluster.ogai("lab", "heal", node), 0)
    stage.expect("the run after the mend finishes", stage.cluster.up(), 0)
    hold_all(stage)


def _judge_meanwhile(stage: Stage, broken: Mapping[str, str], bad: Mapping[str, str]) -> None:
    named = {node for node in bad if node in broken}
    stage.check(
        "nodes that are not broken come up", *(f"{node}: {bad[node]}" for node in bad if node not in broken)
    )
    for node, kind in broken.items():
        if BREAKS[kind].stops:
            stage.check(
                "a node that broke meanwhile is named", *([] if node in named else [f"{node}: {kind}"])
            )
    for node, why in bad.items():
        stage.tell(f"{node} ({broken.get(node, 'well')}): {why[:200]}")
    whole = [node for node in stage.cluster.hosts if node not in broken]
    states = stage.cluster.slurm_states()
    idle = until(lambda: all(stage.cluster.slurm_states().get(node) == "idle" for node in whole))
    stage.check("nodes that are not broken take work", *([] if idle else [str(states)]))


def _break(stage: Stage, kind: str, node: str) -> None:
    stage.expect("a host is broken", stage.cluster.ogai("lab", "break", kind, node), 0)
