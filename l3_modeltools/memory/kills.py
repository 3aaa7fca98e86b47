"""How many processes the kernel has killed for want of memory in this process's control group."""

from pathlib import Path

from l3_modeltools.memory.groups import ROOT, memory_groups

__all__ = ["count_oom_kills"]

NAMES = ("memory.events", "memory.oom_control")
"""Of version 2, which counts with the groups below, and of version 1, which counts each group alone."""


def count_oom_kills(root: Path = ROOT) -> int | None:
    """Return the number since the group was made; None where the kernel does not say. `root` holds proc and sys."""
    groups = memory_groups(root)
    for file in (group / name for group in (*groups[:1], *groups[-1:]) for name in NAMES):
        try:
            return parse_kills(file.read_text())
        except (OSError, LookupError):
            continue
    return None


def parse_kills(text: str) -> int:
    """Read the number after `oom_kill`. Raises LookupError where there is none."""
    return int(dict(line.split(maxsplit=1) for line in text.splitlines())["oom_kill"])
