"""Locks of package managers that are held now: what would make an installation wait or fail."""

import re
from collections.abc import Collection, Iterator
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

FOLDERS = frozenset(
    (
        *("/var/lib/dpkg", "/var/lib/apt/lists", "/var/cache/apt/archives", "/var/lib/rpm"),
        *("/usr/lib/sysimage/rpm", "/run/dnf"),
    )
)
"""Where lock files lie."""

UPTIME = re.compile(r"[0-9]{1,12}\.[0-9]{1,3}")
TICKS_PER_S = 100
"""USER_HZ, in which /proc counts on every architecture of today."""
BEGUN = 19
"""Field 22 of /proc/PID/stat, counted from the state, which stands behind the name in brackets (proc(5))."""


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
                yield PackageLock(file=path, pid=pid, program=program, running_s=_running_s(tree, pid))
        elif path not in FOLDERS:
            devices = {integer(kind), integer(_entry(tree, path.rpartition("/")[0])[0])}
            for pid, program in _holders(tree, devices, integer(number)):
                yield PackageLock(file=path, pid=pid, program=program, running_s=_running_s(tree, pid))


def _entry(tree: Tree, path: str) -> tuple[str, str]:
    """Return the device and the inode of a file."""
    device, _, inode = tree.get(path, ("",))[0].strip().partition(" ")
    return device, inode


def _running_s(tree: Tree, pid: int | None) -> float | None:
    """Return how long a process has been running; None where that is not told, or cannot be."""
    up = UPTIME.match(text_at(tree, "/proc/uptime") or "")
    fields = (text_at(tree, f"/proc/{pid}/stat") or "").rpartition(")")[2].split()
    begun = integer(fields[BEGUN]) if len(fields) > BEGUN else None
    running = float(up[0]) - begun / TICKS_PER_S if up and begun is not None else -1.0
    return round(running, 1) if running >= 0 else None


def _holders(
    tree: Tree, devices: Collection[int | None], inode: int | None
) -> Iterator[tuple[int | None, str | None]]:
    """Yield who holds a file; `devices` are its own and its folder's.

    Of an overlay the kernel's list has the number that only folders show. Other file systems have two numbers without
    showing one of them; there the program must be a manager's.
    """
    known = {_device(one) for one in devices if one is not None}
    for match in map(HELD.match, tree.get("/proc/locks", ())):
        if not known or inode is None or not match or int(match[4]) != inode:
            continue
        pid = integer(match[1])
        program = text_at(tree, f"/proc/{pid}/comm")
        if (int(match[2], 16), int(match[3], 16)) in known or MANAGERS.fullmatch(program or ""):
            yield pid or None, program


def _device(number: int) -> tuple[int, int]:
    """Take a device number apart as the C library packs it."""
    return number >> 8 & 0xFFF, number & 0xFF | number >> 12 & 0xFFF00
