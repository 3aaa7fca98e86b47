"""What a check does about what it found: drains of its own, set and lifted."""

from collections.abc import Sequence

import msgspec

from l0_infra.core.errors import OgaiError
from l1_podsys import GATE, DrainDecision, Scene, SlurmNode, controller_of, decide_drains, verdict
from l1_podsys.schemas import Cluster, Health, Verdict
from ogai.flows.cluster.drains import drainer_of, note_given_back
from ogai.flows.cluster.nodes import Nodes

__all__ = ["act_on"]

SlurmNodes = tuple[SlurmNode, ...] | None


def act_on(
    cluster: Cluster, health: Health, scene: Scene, nodes: Nodes, *, drain: bool
) -> tuple[Health, SlurmNodes]:
    """Drain what fails and give back what is mended; the health says what was done, and the nodes how they are now.

    A controller that refuses is one more verdict, not the end of the check.
    """
    if not drain or scene.slurm is None:
        return health, scene.slurm
    compute = [view.name for view in scene.views if "compute" in view.member.roles]
    decision = decide_drains(cluster.gates, health.verdicts, compute, scene.slurm)
    try:
        slurm = _carry_out(cluster, decision, scene.slurm, nodes)
    except OgaiError as error:
        refused = verdict(
            controller_of(cluster).name,
            "scheduler.controller",
            "critical",
            f"no drain could be set or lifted: {error.found}",
            hint=error.hint,
        )
        return msgspec.structs.replace(health, verdicts=(*health.verdicts, refused)), scene.slurm
    verdicts = tuple(_given_back(one, decision.lift) for one in health.verdicts)
    told = msgspec.structs.replace(
        health, verdicts=verdicts, drains=decision.changes(), breaker=decision.breaker
    )
    return told, slurm


def _given_back(found: Verdict, lifted: Sequence[str]) -> Verdict:
    if found.check == "scheduler.state" and found.node in lifted:
        return verdict(found.node, "scheduler.state", "ok", "given back: the checks that drained it pass")
    return found


def _carry_out(
    cluster: Cluster, decision: DrainDecision, slurm: tuple[SlurmNode, ...], nodes: Nodes
) -> tuple[SlurmNode, ...]:
    if not decision.drain and not decision.lift:
        return slurm
    drainer = drainer_of(cluster, nodes)
    for reason in dict.fromkeys(decision.drain.values()):
        names = [name for name, why in decision.drain.items() if why == reason]
        drainer.drain(names, owner=GATE, reason=reason)
    if decision.lift:
        note_given_back(cluster, drainer.undrain(decision.lift, owner=GATE))
    return drainer.settled_nodes(decision.lift)
