"""Generic resources as Slurm writes them: `gpu:a100:8(S:0-1),shard:a100:32(S:0-1)`."""

import re

__all__ = ["count_gres"]

ENTRY = re.compile(r"(?P<name>[^:,()]+)(?::(?P<type>[^:,()]+))??(?::(?P<count>\d+))?(?:\([^)]*\))?(?:,|$)")


def count_gres(text: str, name: str) -> int:
    """Count what there is of one name, all its types together; an entry without a number is one."""
    return sum(int(entry["count"] or 1) for entry in ENTRY.finditer(text) if entry["name"] == name)
