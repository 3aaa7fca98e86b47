"""Runs out of memory for real, in a room of its own: the kernel ends this process, and the machine loses nothing.

Where a memory cgroup may be made (v1 or v2), the process moves into one with little room and takes memory until the
kernel's OOM killer ends it. Elsewhere it lowers the limit of its own address space, and its allocator fails.
"""

import mmap
import os
import resource
import subprocess
from pathlib import Path

from l3_modeltools.memory import memory_groups

__all__ = ["fail_to_allocate", "run_out_of_memory"]

ROOM = 256 << 20
"""Bytes that the process may take in its cgroup."""

BOUND = 2 << 30
"""Bytes that are never exceeded, whatever the kernel does."""

PIECE = 16 << 20
SWEEPER = 'sleep 2; for _ in $(seq 300); do rmdir "$1" 2>/dev/null && exit; sleep 0.2; done'
"""Removes the cgroup once the process, which needs a moment to move in, is gone from it."""


def run_out_of_memory() -> None:
    """Take memory until the kernel ends this process. Raises RuntimeError where the allocator fails instead."""
    try:
        _enter_small_cgroup()
    except OSError:  # not permitted here
        fail_to_allocate()
    _take(BOUND)
    fail_to_allocate()


def _enter_small_cgroup() -> None:
    """Move into a cgroup with little room, which somebody else removes afterwards. Raises OSError."""
    pid = os.getpid()
    parent, names = _memory_cgroup()
    room = parent / f"ogai-drill-{pid}"
    room.mkdir()
    subprocess.Popen(["/bin/sh", "-c", SWEEPER, "sh", str(room)], start_new_session=True)
    for name, value in names:
        if (file := room / name).exists():
            file.write_text(str(value))
    (room / "cgroup.procs").write_text(str(pid))


def _memory_cgroup() -> tuple[Path, tuple[tuple[str, int], ...]]:
    """Return where a cgroup with a limit can be made, and the files that limit it, in the order they are written.

    v1: below this process's own. v2: beside it, for one that holds processes may have no children with limits.
    """
    groups = memory_groups()
    if not groups:
        raise OSError("no control group counts the memory of this process")
    own, parent = groups[0], groups[min(1, len(groups) - 1)]
    if (own / "memory.limit_in_bytes").exists():
        return own, (
            ("memory.limit_in_bytes", ROOM),
            ("memory.memsw.limit_in_bytes", ROOM),
            ("memory.swappiness", 0),
        )
    if "memory" not in (parent / "cgroup.subtree_control").read_text().split():
        raise OSError(f"{parent} limits no memory")
    return parent, (("memory.max", ROOM), ("memory.swap.max", 0))


def _take(size_bytes: int) -> None:
    """Take memory a piece at a time and touch each page of it."""
    taken = []
    for _ in range(size_bytes // PIECE):
        piece = mmap.mmap(-1, PIECE, flags=mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS)
        taken.append(piece)
        for page in range(0, PIECE, mmap.PAGESIZE):
            piece[page] = 1


def fail_to_allocate() -> None:
    """Lower the limit of the data segment to what is used, and ask the allocator for more. Raises RuntimeError."""
    import torch  # loaded long ago in a rank

    used = int(Path("/proc/self/statm").read_text().split()[5]) * mmap.PAGESIZE
    _, hard = resource.getrlimit(resource.RLIMIT_DATA)
    resource.setrlimit(resource.RLIMIT_DATA, (used + PIECE, hard))
    torch.empty(BOUND, dtype=torch.uint8)
