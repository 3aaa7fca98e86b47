"""How much memory can still be taken: of the machine, and below every limit, whoever keeps it."""

from collections.abc import Iterator
from pathlib import Path

from l3_modeltools.memory.groups import ROOT, memory_groups

__all__ = ["available_memory"]

LIMITS = ("memory.max", "memory.high", "memory.limit_in_bytes")
"""Of version 2 the limit, and the one above which processes are held up; the limit of version 1."""

USED = ("memory.current", "memory.usage_in_bytes")
"""What a group and those below it take, by version; their page cache is in it."""

CACHE = ("inactive_file", "active_file")
"""In `memory.stat` the pages of files, which the kernel gives back before it kills; memory files are not in it."""


def available_memory(*, limit_bytes: int | None = None, processes: int = 1, root: Path = ROOT) -> int:
    """Return how many bytes this process could take now: the least of what the machine has and every limit leaves.

    Limits are those of its control groups and `limit_bytes`, which the job has and its engine may watch itself, for
    `processes` like this one together. `root` holds proc and sys.
    """
    left = [parse_available((root / "proc/meminfo").read_text())]
    left += (room for group in memory_groups(root) for room in left_in(group))
    if limit_bytes is not None:
        left.append(limit_bytes - processes * parse_share(_read(root / "proc/self/smaps_rollup")))
    return max(0, min(left))


def parse_available(meminfo: str) -> int:
    """Read the bytes that programs can take without swapping (proc_meminfo(5))."""
    lines = (line.split() for line in meminfo.splitlines())
    return next(int(words[1]) * 1024 for words in lines if words[0] == "MemAvailable:")


def left_in(group: Path) -> Iterator[int]:
    """Yield the bytes left below each limit of one group; none where it has none."""
    texts = {name: text for name in (*LIMITS, *USED, "memory.stat") if (text := _read(group / name))}
    limits = [int(texts[name]) for name in LIMITS if texts.get(name, "max") != "max"]
    used = [int(texts[name]) for name in USED if name in texts]
    if limits and used:
        yield min(limits) - used[0] + parse_cache(texts.get("memory.stat", ""))


def parse_cache(stat: str) -> int:
    """Read the bytes of files' pages, with those of the groups below: version 1 tells both, version 2 only so."""
    told = dict(line.split(maxsplit=1) for line in stat.splitlines())
    return sum(int(told.get(f"total_{name}", told.get(name, 0))) for name in CACHE)


def parse_share(rollup: str) -> int:
    """Read the bytes that a process takes, its share of what it has in common with others counted (`Pss`)."""
    lines = (line.split() for line in rollup.splitlines())
    return next((int(words[1]) * 1024 for words in lines if words[0] == "Pss:"), 0)


def _read(file: Path) -> str:
    """Return what a small file holds, nothing where it cannot be read, as where a group was just removed."""
    try:
        return file.read_text().strip()
    except OSError:
        return ""
