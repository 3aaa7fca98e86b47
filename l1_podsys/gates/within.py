"""What the vendor's test of collectives shows of each node by itself, set beside what its links carry."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from l0_infra.core.errors import OgaiError
from l0_infra.core.exec import Runner
from l0_infra.core.units import format_bytes
from l0_infra.schemas import Accelerator, Device, NodeFacts
from l1_podsys.gates.bursts import Measured
from l1_podsys.gates.catalogue import Severity, verdict
from l1_podsys.gates.perf_runs import WITHIN_S, Conclusion, PerfRun, conclude, read_run, within_command
from l1_podsys.gates.reach import Reach
from l1_podsys.gates.speed import Speeds
from l1_podsys.gates.told import garbled
from l1_podsys.gates.view import NodeView
from l1_podsys.schemas import Verdict

__all__ = ["COLLECTIVE", "Within", "expected_bus", "measure_within"]

COLLECTIVE = "collective"
"""Name of the measure."""
WITHIN, CORRECT, LINKS = "collective.within", "collective.correct", "collective.links"
DIRECT = frozenset(("nvlink", "hccs", "xgmi"))
MESHES = frozenset(("hccs", "xgmi"))
"""Kinds of which each accelerator has a link to each other; of fewer than there could be, links stay unused."""
LEAST_SHARE = 0.5
"""Of what the links carry: nccl-tests reach 0.7 and more of NVLink and xGMI; below this another way is taken."""
WORST_SHARE = 0.2


@dataclass(frozen=True, kw_only=True, slots=True)
class Within:
    """What came of the nodes of one class: their runs, their speeds, and what is to be said of them."""

    runs: Mapping[str, PerfRun]
    measured: Measured
    verdicts: tuple[Verdict, ...]


def measure_within(views: Sequence[NodeView], place: str, reach: Reach, sheets: Sequence[Device]) -> Within:
    """Run the test on all nodes that have whole accelerators, each by itself; one without the test has no verdict."""
    of = {
        view.name: view.facts for view in views if view.facts is not None and _whole(view.facts.accelerators)
    }

    def ask(name: str, runner: Runner) -> PerfRun:
        own = of[name].accelerators
        outcome = runner.run(within_command(own[0].vendor, len(own), place))
        run = read_run(outcome)
        if not run.heard:
            raise garbled(outcome, "what collective.sh prints")
        return run

    answers = reach(list(of), ask, limit_s=WITHIN_S + 10)
    lost = {name: answer.found for name, answer in answers.items() if isinstance(answer, OgaiError)}
    runs = {name: run for name, run in answers.items() if isinstance(run, PerfRun) and run.program}
    ends = {name: conclude(run, len(of[name].accelerators)) for name, run in runs.items()}
    speeds = tuple(
        Speeds(node=name, rounds=end.speeds) for name, end in ends.items() if len(of[name].accelerators) > 1
    )
    told = [one for name, end in ends.items() for one in _judge(name, runs[name].program, end, of[name])]
    told += [
        one for name, end in ends.items() for one in _judge_links(name, end, expected_bus(of[name], sheets))
    ]
    told += [verdict(name, WITHIN, "unknown", found) for name, found in lost.items()]
    measured = Measured(speeds={COLLECTIVE: speeds} if speeds else {}, errors=lost, held={})
    return Within(runs=runs, measured=measured, verdicts=tuple(told))


def _whole(accelerators: Sequence[Accelerator]) -> bool:
    """Whether there are any, none cut into partitions, among which collectives do not work."""
    return bool(accelerators) and not any(
        one.partitioning and one.partitioning.enabled for one in accelerators
    )


def _judge(node: str, program: str, end: Conclusion, facts: NodeFacts) -> Iterator[Verdict]:
    name = program.rpartition("/")[2]
    among = f"{name} among {len(facts.accelerators)}"
    if end.kind == "failed":
        yield verdict(node, WITHIN, "critical", f"{among}: {end.words}")
    elif end.kind == "unknown":
        hint = f"run {program} by hand on the node"
        yield verdict(node, WITHIN, "unknown", f"{among}: {end.words}", hint=hint)
    else:
        yield verdict(node, WITHIN, "ok", f"{among} came to its end")
        severity: Severity = "ok" if end.kind == "well" else "critical"
        yield verdict(node, CORRECT, severity, f"{among}: {end.words or 'all values are right'}")


def _judge_links(node: str, end: Conclusion, links: tuple[float, str] | None) -> Iterator[Verdict]:
    if not end.speeds or links is None:
        return
    found, (carried, kind) = max(end.speeds), links
    share = found / carried
    severity: Severity = "ok" if share >= LEAST_SHARE else "warning" if share >= WORST_SHARE else "critical"
    words = f"{format_bytes(round(found))}/s on the bus, {share:.0%} of what {kind} carries"
    expected = f"at least {LEAST_SHARE:.0%} of {format_bytes(round(carried))}/s"
    yield verdict(node, LINKS, severity, words, expected=expected)


def expected_bus(facts: NodeFacts, sheets: Sequence[Device]) -> tuple[float, str] | None:
    """Return bytes a second that the direct links of each accelerator carry one way by its data sheet, and their kind.

    None unless all accelerators are of one model and in one group of such links: else the slowest way counts, which no
    sheet tells. In a mesh only the links to those that are there are used.
    """
    accelerators, groups = facts.accelerators, () if facts.topology is None else facts.topology.groups
    models = {one.device for one in accelerators}
    joined = any({one.id for one in accelerators} <= set(group) for group in groups)
    if len(models) != 1 or not joined:
        return None
    sheet = next((one for one in sheets if one.name in models), None)
    link = next((one for one in sheet.links if one.kind in DIRECT), None) if sheet else None
    if link is None:
        return None
    used = min(1.0, (len(accelerators) - 1) / link.count) if link.kind in MESHES else 1.0
    return link.bandwidth_bytes_per_s * used, link.kind
