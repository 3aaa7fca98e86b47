"""Main memory, swap and huge pages, from /proc/meminfo and the kernel's pools."""

import re

from l0_infra.facts.bundle import Source
from l0_infra.facts.tree import Tree, integer, settings, text_at
from l0_infra.schemas import Hugepages, Memory

__all__ = ["MEMORY", "parse_memory"]

POOLS = "/sys/kernel/mm/hugepages"

MEMORY = Source(
    name="memory.txt",
    program="grep",
    quick=True,
    command=f"grep -H '' /proc/meminfo {POOLS}/*/nr_hugepages {POOLS}/*/free_hugepages",
)


def parse_memory(tree: Tree) -> Memory:
    """Read sizes in bytes; what the kernel does not tell is None."""
    told = settings(tree.get("/proc/meminfo", ()), ":")
    return Memory(
        total_bytes=_bytes(told.get("MemTotal")),
        available_bytes=_bytes(told.get("MemAvailable")),
        swap_total_bytes=_bytes(told.get("SwapTotal")),
        swap_free_bytes=_bytes(told.get("SwapFree")),
        hugepages=_pools(tree),
    )


def _bytes(text: str | None) -> int | None:
    kib = integer((text or "").removesuffix(" kB"))
    return None if kib is None else kib * 1024


def _pools(tree: Tree) -> tuple[Hugepages, ...]:
    matches = [re.fullmatch(rf"{POOLS}/hugepages-([0-9]{{1,12}})kB/nr_hugepages", path) for path in tree]
    sizes = sorted(int(match[1]) for match in matches if match)
    return tuple(
        Hugepages(
            size_bytes=size * 1024,
            total=integer(text_at(tree, f"{POOLS}/hugepages-{size}kB/nr_hugepages")),
            free=integer(text_at(tree, f"{POOLS}/hugepages-{size}kB/free_hugepages")),
        )
        for size in sizes
    )
