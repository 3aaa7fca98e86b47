"""Locks of package managers that are held now: what would make an installation wait or fail."""

import re
from collections.abc import Iterator
from importlib.resources import files

from l0_infra.facts.bundle import Answer, Source
from l0_infra.facts.tree import Tree, integer, parse_tree, text_at
from l0_infra.schemas import PackageLock

__all__ = ["LOCKS", "parse_locks"]

LOCKS = Source(
    name="package-locks.txt",
    program="stat",
    quick=True,
    command=files(__package__).joinpath("locks.sh").read_text("utf-8"),
)

HELD = re.compile(r"[0-9]+: (?:POSIX|OFDLCK) +\w+ +WRITE +(-?[0-9]+) +([0-9a-f]+):([0-9a-f]+):([0-9]+) ")
"""A line of /proc/locks about a lock of fcntl's that is held for writing; one that is waited for has `->`.

Package managers do not look at locks of flock's.
"""

MANAGERS = re.compile(
    r"apt.*|aptd|dpkg.*|unattended-upgr|rpm.*|dnf.*|yum.*|microdnf|packagekitd|zypper|y2base|pacman"
)
"""Programs of package managers, as /proc/PID/comm has them (15 letters at most)."""


def parse_locks(answer: Answer) -> tuple[PackageLock, ...] | None:
    """List held locks; None when the kernel's own list was not read."""
    tree = parse_tree(answer.out)
    if not answer.ok and "/proc/locks" not in tree:
        return None
    return tuple(_held(tree))


def _held(tree: Tree) -> Iterator[PackageLock]:
    for path, lines in tree.items():
        if path.startswith("/proc/"):
            continue
        kind, _, number = lines[0].strip().partition(" ")
        if kind == "pid":
            pid = integer(number)
            program = text_at(tree, f"/proc/{pid}/comm")
            if program and MANAGERS.fullmatch(program):
                yield PackageLock(file=path, pid=pid, program=program)
        else:
            for pid, program in _holders(tree, integer(kind), integer(number)):
                yield PackageLock(file=path, pid=pid, program=program)


def _holders(tree: Tree, device: int | None, inode: int | None) -> Iterator[tuple[int | None, str | None]]:
    """Yield who holds a file; some file systems have two device numbers, there the program must be a manager's."""
    for match in map(HELD.match, tree.get("/proc/locks", ())):
        if device is None or inode is None or not match or int(match[4]) != inode:
            continue
        pid = integer(match[1])
        program = text_at(tree, f"/proc/{pid}/comm")
        if _device(device) == (int(match[2], 16), int(match[3], 16)) or MANAGERS.fullmatch(program or ""):
            yield pid or None, program


def _device(number: int) -> tuple[int, int]:
    """Take a device number apart as the C library packs it."""
    return number >> 8 & 0xFFF, number & 0xFF | number >> 12 & 0xFFF00
