"""Nodes are taken out of work before they are changed, and given back by the same owner; what runs there ends first."""

from collections.abc import Collection, Sequence

from l0_infra.core.errors import EngineError, RemoteError
from l0_infra.core.exec import Command
from l0_infra.core.nodeset import fold
from l1_podsys import Drainer, cluster_members, controller_name, delete_nodes_command, parse_drain
from ogai.flows.cluster.drains import drainer_of
from ogai.flows.cluster.work import Work

__all__ = ["REMOVAL", "drainer_for", "forget_in_scheduler", "give_back_replaced", "take_out_of_work"]

REMOVAL = "removal"
"""Owner of the drains of machines that leave."""


def drainer_for(work: Work) -> Drainer | None:
    """Return what drains this cluster's nodes; None where no scheduler runs on them."""
    return drainer_of(work.cluster, work.nodes) if work.cluster.scheduler.engine == "slurm" else None


def take_out_of_work(
    work: Work, drainer: Drainer | None, names: Sequence[str], *, owner: str, reason: str, wait_s: float
) -> None:
    """Drain nodes and wait until nothing runs on them; raises EngineError when something still does after `wait_s`."""
    members = cluster_members(work.cluster)
    compute = [name for name in names if "compute" in members[name].places]
    if drainer is None or not compute:
        return
    known = [node.name for node in drainer.nodes(compute)]
    drainer.drain(known, owner=owner, reason=reason)
    busy = drainer.wait_idle(known, deadline_s=wait_s)
    if busy:
        raise EngineError(
            fold(busy),
            found=f"work that still runs after {wait_s:g} s",
            expected="idle nodes",
            hint="they stay drained; try again later, or with more --wait",
            retry=True,
        )


def forget_in_scheduler(work: Work, names: Sequence[str]) -> None:
    """Take nodes off the scheduler's list; one that was never on it is no failure."""
    if work.cluster.scheduler.engine != "slurm":
        return
    runner = work.nodes.runner(controller_name(work.cluster))
    outcome = runner.run(Command(argv=delete_nodes_command(names), deadline_s=60, sudo=work.sudo))
    if not outcome.ok and "nvalid node name" not in outcome.stderr:
        raise RemoteError(
            f"{runner.target}: scontrol delete",
            found=outcome.stderr.strip() or outcome.describe_end(),
            expected="nodes that are off the list",
            retry=True,
        )


def give_back_replaced(work: Work, ready: Collection[str]) -> None:
    """Lift what a replacement drained of nodes that are ready now, whichever run has finished them."""
    done = sorted(set(ready).intersection(work.place.load_notes().replaced))
    drainer = drainer_for(work) if done else None
    if drainer is not None:
        drained = [node for node in drainer.nodes(done) if node.drained]
        ours = [node.name for node in drained if parse_drain(node.reason, node.reason_by).owner == REMOVAL]
        if ours:
            drainer.undrain(ours, owner=REMOVAL)
    if done:
        work.place.save_notes(work.place.load_notes().settled(done))
