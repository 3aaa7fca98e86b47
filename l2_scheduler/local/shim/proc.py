"""What `/proc` says about processes, and signals that can only reach the process that was meant."""

from __future__ import annotations

import os
import signal

from l2_scheduler.local.shim import is_engine

PAGE_BYTES = os.sysconf("SC_PAGE_SIZE")

Process = tuple[int, int]
"""A process of this boot: pid and start time in clock ticks. The pair is never used twice."""


def read_small(path: str) -> bytes:
    """Return what one read of a small file gives; `b""` if it is gone, or not for us to read."""
    try:
        fd = os.open(path, os.O_RDONLY | os.O_CLOEXEC)
    except OSError:
        return b""
    try:
        return os.read(fd, 1 << 16)
    except OSError:
        return b""
    finally:
        os.close(fd)


def boot_id() -> str:
    """Return the id that the kernel drew at boot."""
    return read_small("/proc/sys/kernel/random/boot_id").decode().strip()


def stat_of(pid: int) -> tuple[int, int] | None:
    """Return parent pid and start ticks of a living process; None for none and for a zombie.

    A main thread that ended while other threads run on looks like a zombie, but its process lives.
    """
    fields = read_small(f"/proc/{pid}/stat").rpartition(b")")[2].split()
    if not fields or (fields[0] in b"ZX" and int(fields[17]) <= 1):
        return None
    return int(fields[1]), int(fields[19])


def start_ticks(pid: int) -> int | None:
    """Return when a living process started, in clock ticks since boot."""
    found = stat_of(pid)
    return found[1] if found else None


def pids() -> list[int]:
    """Return the pids of all processes that can be seen."""
    return [int(name) for name in os.listdir("/proc") if name.isdigit()]


def open_files(pid: int) -> set[str]:
    """Return what the descriptors of a process lead to; nothing if it is gone, or not for us to read."""
    folder = f"/proc/{pid}/fd"
    try:
        return {_target(f"{folder}/{name}") for name in os.listdir(folder)}
    except OSError:
        return set()


def _target(link: str) -> str:
    try:
        return os.readlink(link)
    except OSError:
        return ""


def environ_of(pid: int) -> bytes:
    """Return the environment a process was started with; empty if it is gone, or not for us to read."""
    try:
        with open(f"/proc/{pid}/environ", "rb", buffering=0) as file:
            return file.readall()
    except OSError:
        return b""


def descendants(root: int) -> list[Process]:
    """Return every living process below `root`, parents before their children; one walk over `/proc`.

    The engine's own processes are left out, with all that is below them.
    """
    children: dict[int, list[Process]] = {}
    for pid in pids():
        if found := stat_of(pid):
            children.setdefault(found[0], []).append((pid, found[1]))
    below: list[Process] = []
    parents = [root]
    for parent in parents:
        own = [child for child in children.get(parent, ()) if not is_engine(environ_of(child[0]))]
        below.extend(own)
        parents.extend(pid for pid, _ in own)
    return below


def send(process: Process, number: int) -> bool:
    """Signal exactly this process; False if it is gone. Raises PermissionError for another user's."""
    pid, ticks = process
    try:
        fd = os.pidfd_open(pid)
    except OSError:
        return False
    try:
        if start_ticks(pid) != ticks:
            return False
        signal.pidfd_send_signal(fd, number)
        return True
    except ProcessLookupError:
        return False
    finally:
        os.close(fd)


def rss_bytes(pid: int) -> int:
    """Return the resident memory of a process; what it shares with others is counted whole."""
    fields = read_small(f"/proc/{pid}/statm").split()
    return int(fields[1]) * PAGE_BYTES if fields else 0


def pss_bytes(pid: int) -> int:
    """Return the resident memory of a process with its share of what it shares; slow for a large one."""
    for line in read_small(f"/proc/{pid}/smaps_rollup").splitlines():
        if line.startswith(b"Pss:"):
            return int(line.split()[1]) * 1024
    return rss_bytes(pid)


def oom_kills() -> int:
    """Return how many processes of this machine the kernel has ended for lack of memory since boot."""
    for line in read_small("/proc/vmstat").splitlines():
        if line.startswith(b"oom_kill "):
            return int(line.split()[1])
    return 0
