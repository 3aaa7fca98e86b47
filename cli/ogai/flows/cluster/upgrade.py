"""Change a cluster at work, a share of its nodes at a time: drained, idle, changed, checked, given back."""

import math
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

import msgspec

from l0_infra import OnProgress
from l0_infra.core.exec import Secret
from l0_infra.core.nodeset import fold
from l1_podsys import Drainer, cluster_members, parse_drain
from ogai.flows.cluster.brought import Brought, NodeBrought, Trouble
from ogai.flows.cluster.carry import brought_of, need_ansible, not_done
from ogai.flows.cluster.gate import Gate, gate, unfit
from ogai.flows.cluster.out_of_work import drainer_for, take_out_of_work
from ogai.flows.cluster.prepare import Prepared, prepare
from ogai.flows.cluster.roles import Roles, load_all_roles
from ogai.flows.cluster.survey import OnNode
from ogai.flows.cluster.up import bring_up
from ogai.flows.cluster.work import OnWait, refuse_missing, wanted_cluster, work_on

__all__ = ["upgrade", "waves_of"]

OWNER = "upgrade"
SHARE = 0.1
WAIT_S = 24 * 3600.0


def upgrade(
    file: str | Path | None = None,
    *,
    name: str | None = None,
    share: float = SHARE,
    full: bool = False,
    wait_s: float = WAIT_S,
    password: Secret | None = None,
    roles: Roles | None = None,
    agree: Callable[[Prepared], None] = lambda prepared: None,
    on_node: OnNode | None = None,
    on_progress: OnProgress = lambda progress: None,
    on_wave: Callable[[str], None] = lambda text: None,
    on_wait: OnWait = lambda text: None,
    check: Gate = gate,
    dry_run: bool = False,
) -> Brought:
    """Bring what changed to nodes at work, so that nothing that runs is lost.

    At most this share of the compute nodes is out of work at a time, and the controller comes first. The first wave
    with a node that fails or is unfit is the last: its nodes stay drained, and the next run goes on from there. A
    `dry_run` changes nothing, and what would be done counts as held. Raises EngineError when work still runs on a node
    after `wait_s`.
    """
    cluster, place = wanted_cluster(None if file is None else Path(file), name)
    known = roles or load_all_roles()
    with work_on(
        cluster, place, "ogai cluster upgrade", password=password, dry_run=dry_run, on_wait=on_wait
    ) as work:
        names = list(cluster_members(cluster))
        prepared = prepare(
            cluster,
            place,
            names,
            work.nodes,
            work.ledger,
            roles=known,
            sudo=work.sudo,
            full=full,
            on_node=on_node,
        )
        refuse_missing(work)
        if dry_run:
            agree(prepared)
            return not_done(prepared)
        need_ansible(prepared)
        agree(prepared)
        if file is not None:
            place.save_notes(place.load_notes().from_file(Path(file)))
        drainer, sums = drainer_for(work), _Sums(brought_of(prepared, "", (), (), 0.0))
        for wave in waves_of(prepared, _drained_before(drainer), share):
            on_wave(fold(wave))
            take_out_of_work(work, drainer, wave, owner=OWNER, reason="it is being upgraded", wait_s=wait_s)
            brought = bring_up(
                work,
                wave,
                full=full,
                roles=known,
                agree=lambda prepared: None,
                on_node=None,
                on_progress=on_progress,
                what="upgrade",
            )
            health = None if brought.bad() else check(work, wave)
            sums.take(brought, wave, unfit(health))
            if sums.bad():
                break
            if drainer is not None:
                drainer.undrain(wave, owner=OWNER)
    return sums.total


def _drained_before(drainer: Drainer | None) -> frozenset[str]:
    """Name the nodes that an earlier upgrade took out of work and did not give back."""
    nodes = () if drainer is None else drainer.nodes()
    drained = [node for node in nodes if node.drained]
    return frozenset(node.name for node in drained if parse_drain(node.reason, node.reason_by).owner == OWNER)


def waves_of(prepared: Prepared, drained: frozenset[str], share: float) -> Iterator[list[str]]:
    """Yield nodes to change together: the controller, then shares of those with something left, or drained by us."""
    members = cluster_members(prepared.cluster)
    due = {step.node for step in prepared.steps_left} | drained
    ordered = [name for name in members if name in due]
    compute = [name for name in members if "compute" in members[name].places]
    size = max(1, math.floor(share * len(compute)))
    if prepared.controller in ordered:
        yield [prepared.controller]
        ordered.remove(prepared.controller)
    for start in range(0, len(ordered), size):
        yield ordered[start : start + size]


class _Sums:
    """What came of all waves so far; nodes of later ones count as they were before."""

    def __init__(self, before: Brought) -> None:
        self.total = before

    def take(self, brought: Brought, wave: Sequence[str], sick: frozenset[str]) -> None:
        now = {node.name: node for node in brought.nodes if node.name in wave}
        for name in sick & now.keys():
            now[name] = msgspec.structs.replace(now[name], state="failed")
        nodes: tuple[NodeBrought, ...] = tuple(now.get(node.name, node) for node in self.total.nodes)
        troubles = tuple(
            Trouble(node=name, name="check", state="unsound", message="unfit for work: ogai cluster check")
            for name in sorted(sick)
        )
        self.total = msgspec.structs.replace(
            self.total,
            run=brought.run or self.total.run,
            folder=brought.folder or self.total.folder,
            seconds=self.total.seconds + brought.seconds,
            nodes=nodes,
            troubles=(*self.total.troubles, *brought.troubles, *troubles),
        )

    def bad(self) -> bool:
        return bool(self.total.bad())
