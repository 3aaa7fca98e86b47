"""What a process may really use of a machine, by affinity and control groups: containers tell the truth."""

from collections.abc import Iterator
from importlib.resources import files
from pathlib import PurePosixPath

from l0_infra.facts.bundle import Source
from l0_infra.facts.tree import Tree, cpu_set, integer, settings, text_at
from l0_infra.schemas import CgroupLimits

__all__ = ["LIMITS", "cpus_usable", "memory_usable_bytes", "parse_limits"]

LIMITS = Source(
    name="cgroup-limits.txt",
    program="grep",
    quick=True,
    command=files(__package__).joinpath("limits.sh").read_text("utf-8"),
)


def parse_limits(tree: Tree) -> CgroupLimits:
    """Take the tightest limit of the process's groups and all their parents."""
    status = settings(tree.get("/proc/self/status", ()), ":")
    return CgroupLimits(
        cpus=min(_quotas(tree), default=None),
        cpu_list=status.get("Cpus_allowed_list") or None,
        memory_bytes=min(_memory(tree), default=None),
    )


def cpus_usable(limits: CgroupLimits, online: str | None) -> int | None:
    """Count whole CPUs: those allowed and online, at most the quota, at least one; None when not known."""
    known = [cpus for cpus in (cpu_set(limits.cpu_list), cpu_set(online)) if cpus]
    if not known:
        return None
    allowed = len(frozenset.intersection(*known))
    return max(1, allowed if limits.cpus is None else min(allowed, int(limits.cpus)))


def memory_usable_bytes(limits: CgroupLimits, total_bytes: int | None) -> int | None:
    """Return the smaller of the machine's memory and the limit; None when the machine's is not known."""
    if total_bytes is None or limits.memory_bytes is None:
        return total_bytes
    return min(total_bytes, limits.memory_bytes)


def _quotas(tree: Tree) -> Iterator[float]:
    for path in tree:
        place = PurePosixPath(path)
        text = text_at(tree, path) or ""
        if place.name == "cpu.max":
            quota, _, period = text.partition(" ")
        elif place.name == "cpu.cfs_quota_us":
            quota, period = text, text_at(tree, str(place.with_name("cpu.cfs_period_us"))) or ""
        else:
            continue
        quota_us, period_us = integer(quota), integer(period)
        if quota_us and period_us:
            yield quota_us / period_us


def _memory(tree: Tree) -> Iterator[int]:
    for path in tree:
        if PurePosixPath(path).name in ("memory.max", "memory.limit_in_bytes"):
            limit = integer(text_at(tree, path))  # "no limit" is `max`, or a number of 19 digits in version 1
            if limit is not None:
                yield limit
