"""Measure the classes of a cluster, judge them, and keep the speeds of those that are clean."""

from collections.abc import Callable, Collection, Iterator, Sequence
from dataclasses import dataclass
from typing import Literal

from l0_infra.core.units import format_count
from l0_infra.schemas import Device
from l1_podsys.gates.accelerators import probe_diagnoses
from l1_podsys.gates.burnin import worst_of
from l1_podsys.gates.bursts import Asked, Measured, measure_class
from l1_podsys.gates.catalogue import verdict
from l1_podsys.gates.class_sums import ACROSS, sum_class
from l1_podsys.gates.links import NETWORK, measure_links
from l1_podsys.gates.medium import judge_speeds, measure_code
from l1_podsys.gates.quick import Scene
from l1_podsys.gates.reach import Reach
from l1_podsys.gates.record import GateRecord
from l1_podsys.gates.speed import Baseline
from l1_podsys.gates.told import ADD_TORCH, NO_TORCH, lacks_torch
from l1_podsys.gates.view import NodeView, controller_of
from l1_podsys.gates.within import measure_within
from l1_podsys.schemas import Cluster, Verdict

__all__ = ["MeasuredCluster", "measure_cluster", "runtime_python"]

STORAGE_ROUNDS = 3
MATRIX_ROUNDS = 2
"""Each of several bursts, for a start of torch takes longer than they."""


@dataclass(frozen=True, kw_only=True, slots=True)
class MeasuredCluster:
    """The verdicts, and the record with the speeds of clean classes in it."""

    verdicts: tuple[Verdict, ...]
    record: GateRecord


def measure_cluster(
    cluster: Cluster,
    scene: Scene,
    reach: Reach,
    record: GateRecord,
    *,
    level: Literal["medium", "burnin"] = "medium",
    seed: int,
    on_round: Callable[[str], None] = lambda _: None,
    sheets: Sequence[Device] = (),
) -> MeasuredCluster:
    """Measure compute nodes that answer and on which nothing runs, class by class.

    `sheets`: data sheets of accelerators, beside whose links bandwidths are set.
    """
    busy = {node.name for node in scene.slurm or () if node.busy}
    compute = [view for view in scene.views if "compute" in view.member.roles and not view.lost]
    found = [
        verdict(view.name, "cpu.speed", "unknown", "work runs there: it is not measured")
        for view in compute
        if view.name in busy
    ]
    free = [view for view in compute if view.name not in busy]
    for node_class in dict.fromkeys(view.member.node_class for view in free):
        members = [view for view in free if view.member.node_class == node_class]
        partners = _partners(cluster, scene, members, busy)
        for measured, missing in _measured(cluster, members, partners, reach, record, seed, on_round):
            verdicts = [*_judge(measured, _Baselines(record, node_class)), *missing]
            record = _kept(record, node_class, measured, verdicts)
            found += verdicts
        together = _together(cluster, members, reach, record, on_round, sheets)
        found, record = [*found, *together.verdicts], together.record
    found += probe_diagnoses(free, level, reach)
    return MeasuredCluster(verdicts=tuple(found), record=record)


def _together(
    cluster: Cluster,
    members: Sequence[NodeView],
    reach: Reach,
    record: GateRecord,
    on_round: Callable[[str], None],
    sheets: Sequence[Device],
) -> MeasuredCluster:
    """Have the accelerators of each node of one class work together, and then all its nodes."""
    node_class = members[0].member.node_class
    if any(view.facts is not None and view.facts.accelerators for view in members):
        on_round(f"collectives within {format_count(len(members), 'node')}")
    within = measure_within(members, cluster.gates.collective_test or "", reach, sheets)
    found = [*_judge(within.measured, _Baselines(record, node_class)), *within.verdicts]
    record = _kept(record, node_class, within.measured, found)
    if len(members) > 1:
        on_round(f"sums of {len(members)} nodes")
        usual, python = record.baseline(node_class, ACROSS), runtime_python(cluster)
        sums = sum_class(cluster, members, within.runs, python, reach, usual)
        if sums.baseline != usual:
            record = record.with_baseline(node_class, ACROSS, sums.baseline)
        found += sums.verdicts
    return MeasuredCluster(verdicts=worst_of([found]), record=record)  # both say whether values are right


def _measured(
    cluster: Cluster,
    members: Sequence[NodeView],
    partners: Sequence[NodeView],
    reach: Reach,
    record: GateRecord,
    seed: int,
    on_round: Callable[[str], None],
) -> Iterator[tuple[Measured, list[Verdict]]]:
    """Measure one class by each measure, and say of whom there is no speed."""
    names = [view.name for view in members]
    baseline = _Baselines(record, members[0].member.node_class)
    accelerated = any(view.facts is not None and view.facts.accelerators for view in members)
    for asked in _asked(cluster, accelerated=accelerated):
        measured = measure_class(names, asked, reach, baseline, seed=seed, on_round=on_round)
        yield measured, list(_missing(names, asked, measured))
    if len(members) + len(partners) > 1:
        usual = baseline(NETWORK)
        measured = measure_links(cluster, members, partners, reach, usual, seed=seed, on_round=on_round)
        yield measured, list(_unlinked(measured))


def _partners(
    cluster: Cluster, scene: Scene, members: Sequence[NodeView], busy: Collection[str]
) -> list[NodeView]:
    """List who may be at the other end of a link beside the class itself: the controller."""
    lead = controller_of(cluster).name
    within = {view.name for view in members}
    free = [view for view in scene.views if not view.lost and view.name not in {*within, *busy}]
    return [view for view in free if view.name == lead]


def runtime_python(cluster: Cluster) -> str:
    """Return where the runtime's Python should be; a name that is found on the PATH where there is no runtime."""
    shared = next((storage.mountpoint for storage in cluster.storage), None)
    path = cluster.runtime.path or (f"{shared}/ogai/runtime" if shared else None)
    return f"{path}/bin/python" if path and cluster.runtime.install else "python3"


@dataclass(frozen=True, slots=True)
class _Baselines:
    record: GateRecord
    node_class: str

    def __call__(self, measure: str) -> Baseline:
        return self.record.baseline(self.node_class, measure)


def _asked(cluster: Cluster, *, accelerated: bool) -> Iterator[Asked]:
    yield Asked(words=("cpu", "memory"))
    where = "accelerator" if accelerated else "cpu"
    yield Asked(words=(f"matrix={where}",), python=runtime_python(cluster), rounds=MATRIX_ROUNDS)
    for storage in cluster.storage:
        yield Asked(words=(f"storage={storage.mountpoint}",), rounds=STORAGE_ROUNDS)


def _judge(measured: Measured, baseline: _Baselines) -> Iterator[Verdict]:
    for measure, speeds in measured.speeds.items():
        yield from judge_speeds(measure, speeds, baseline(measure), measured.held.get(measure))


def _missing(names: Sequence[str], asked: Asked, measured: Measured) -> Iterator[Verdict]:
    """Say of whom there is no speed, and why."""
    for word in asked.words:
        what, _, argument = word.partition("=")
        measure = f"write {argument}" if what == "storage" else what
        code, named = measure_code(measure)
        there = {one.node for one in measured.speeds.get(measure, ()) if one.rounds}
        for name in names:
            if name not in there:
                why = measured.errors.get(name, "it told no speed")
                why, hint = (NO_TORCH, ADD_TORCH) if lacks_torch(why) else (why, "")
                yield verdict(name, code, "unknown", why, named=named, hint=hint)


def _unlinked(measured: Measured) -> Iterator[Verdict]:
    """Say whose link could not be measured, and why."""
    for one in measured.speeds[NETWORK]:
        if not one.rounds:
            why = measured.errors.get(one.node, "no partner")
            hint = "TCP ports from 29750 must be open between the nodes; see network.* and ssh.mesh of both"
            yield verdict(one.node, "network.speed", "unknown", why, hint=hint)


def _kept(record: GateRecord, node_class: str, measured: Measured, verdicts: Sequence[Verdict]) -> GateRecord:
    """Add a run to the baselines when nobody is slow; of two that differ nobody knows."""
    bad = {one.check.removesuffix("-class") for one in verdicts if one.severity in ("warning", "critical")}
    torn = {one.check for one in verdicts if one.severity == "unknown"}
    for measure, speeds in measured.speeds.items():
        named = measure_code(measure)[1]
        whole = all(one.rounds for one in speeds)
        if named in bad or not whole or (named in torn and len(speeds) > 1):
            continue
        baseline = record.baseline(node_class, measure).with_run(speeds)
        record = record.with_baseline(node_class, measure, baseline)
    return record
