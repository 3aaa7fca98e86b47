"""Whether the scheduler agrees with us about a node: that it is there, can be used, and what it has."""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence

from l0_infra.core.units import format_bytes, format_count
from l0_infra.schemas import NodeFacts
from l1_podsys.gates.catalogue import verdict
from l1_podsys.gates.look import Look
from l1_podsys.schemas import Verdict
from l1_podsys.slurm import SlurmNode, count_gres, parse_drain

__all__ = ["judge_munge", "judge_scheduler", "usual_version"]

LEAST_SHARE = 0.8
"""What may be left to the system of a node's memory is the rest."""


def judge_scheduler(
    node: str, facts: NodeFacts | None, known: Mapping[str, SlurmNode], version: str | None
) -> Iterator[Verdict]:
    """Judge one compute node by what the scheduler says; without facts its size is left out."""
    found = known.get(node)
    if found is None:
        yield verdict(node, "scheduler.node", "critical", "unknown to the scheduler")
        return
    yield verdict(node, "scheduler.node", "ok", "known")
    yield judge_state(found)
    if facts is not None:
        yield _size(node, facts, found)
    if version is not None and found.slurm_version is not None:
        same = found.slurm_version == version
        words = found.slurm_version
        yield verdict(node, "scheduler.version", "ok" if same else "warning", words, expected=version)


def judge_state(node: SlurmNode) -> Verdict:
    """Judge its state: down is critical, a drain is somebody's wish."""
    if node.down:
        words = f"{node.state}: {node.reason}" if node.reason else node.state
        return verdict(node.name, "scheduler.state", "critical", words)
    if node.drained:
        drain = parse_drain(node.reason, node.reason_by)
        words = f"drained by {drain.owner}: {drain.reason or 'no reason given'}"
        hint = f"when that is settled: ogai cluster undrain {node.name} --owner {drain.owner}"
        if drain.ours and drain.owner == "gate":
            hint = "the check that finds it well gives it back"
        elif not drain.ours:
            hint = f"when that is settled: scontrol update NodeName={node.name} State=RESUME"
        return verdict(node.name, "scheduler.state", "warning", words, hint=hint)
    return verdict(node.name, "scheduler.state", "ok", node.state)


def usual_version(nodes: Sequence[SlurmNode]) -> str | None:
    """Return the version that most nodes have; None when none tells one."""
    counts = Counter(node.slurm_version for node in nodes if node.slurm_version)
    return counts.most_common(1)[0][0] if counts else None


def judge_munge(node: str, look: Look) -> Iterator[Verdict]:
    """Judge what became of the controller's credential on the node; nothing when none was sent."""
    lines = look.lines("munge")
    if lines is None:
        return
    if any(line.startswith("STATUS:") and "Success" in line for line in lines):
        yield verdict(node, "scheduler.munge", "ok", "believed")
        return
    words = "munge is not installed" if "!missing" in lines else " ".join(lines) or "no answer"
    yield verdict(node, "scheduler.munge", "critical", words)


def _size(node: str, facts: NodeFacts, found: SlurmNode) -> Verdict:
    wrong = [*_cpus(facts, found), *_memory(facts, found), *_accelerators(facts, found)]
    if wrong:
        return verdict(node, "scheduler.size", "critical", "; ".join(wrong))
    size = "" if found.memory_bytes is None else f", {format_bytes(found.memory_bytes)}"
    gres = f", {found.gres}" if found.gres else ""
    return verdict(node, "scheduler.size", "ok", f"{format_count(found.cpus or 0, 'CPU')}{size}{gres}")


def _cpus(facts: NodeFacts, found: SlurmNode) -> Iterator[str]:
    """Slurm counts threads, or cores where it was told not to use the second thread of each."""
    threads, cores = facts.cpu.threads, facts.cpu.cores
    usable = facts.cpus_usable
    if found.cpus is not None and threads is not None and found.cpus not in (threads, cores, usable):
        yield f"{found.cpus} CPUs offered, {threads} there"


def _memory(facts: NodeFacts, found: SlurmNode) -> Iterator[str]:
    there, offered = facts.memory_usable_bytes or facts.memory.total_bytes, found.memory_bytes
    if there is None or offered is None:
        return
    if offered > there:
        yield f"{format_bytes(offered)} offered, {format_bytes(there)} there"
    elif offered < there * LEAST_SHARE:
        yield f"only {format_bytes(offered)} offered of {format_bytes(there)}"


def _accelerators(facts: NodeFacts, found: SlurmNode) -> Iterator[str]:
    offered, there = count_gres(found.gres, "gpu") + count_gres(found.gres, "npu"), len(facts.accelerators)
    if offered != there and (there or facts.counted):
        yield f"{format_count(offered, 'accelerator')} offered, {there} there"
