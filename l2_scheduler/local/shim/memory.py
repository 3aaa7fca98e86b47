"""A job's memory: limited by the kernel where a cgroup may be made, else by watching; measured either way."""

from __future__ import annotations

import os

from l2_scheduler.local.shim.proc import Process, pss_bytes, read_small, rss_bytes

_MIB = 1 << 20
_ROOT = "/sys/fs/cgroup"


class Cgroup:
    """A memory cgroup of one attempt."""

    def __init__(self, path: str, *, limit_file: str, swap: tuple[str, str], kills_file: str) -> None:
        """Name the control files of the version at hand; `swap` is a file and what forbids swap in it."""
        self.path = path
        self._limit_file = limit_file
        self._swap = swap
        self._kills_file = kills_file

    def make(self, limit_bytes: int) -> None:
        """Create it with its limit; raises OSError when that is not permitted here."""
        os.mkdir(self.path)
        try:
            self._write(self._limit_file, str(limit_bytes))
        except OSError:
            self.remove()
            raise
        name, text = self._swap
        if os.path.exists(f"{self.path}/{name}"):
            self._write(name, text.format(limit_bytes))

    def add(self, pid: int) -> None:
        """Move a process in; its descendants to come are in as well. Raises OSError."""
        self._write("cgroup.procs", str(pid))

    def kills(self) -> int:
        """Return how many of its processes the kernel has ended for lack of memory."""
        for line in read_small(f"{self.path}/{self._kills_file}").splitlines():
            if line.startswith(b"oom_kill "):
                return int(line.split()[1])
        return 0

    def remove(self) -> None:
        """Delete it; one that still has processes stays, and harms nobody."""
        try:
            os.rmdir(self.path)
        except OSError:
            return

    def _write(self, name: str, text: str) -> None:
        fd = os.open(f"{self.path}/{name}", os.O_WRONLY | os.O_CLOEXEC)
        try:
            os.write(fd, text.encode())
        finally:
            os.close(fd)


def locate_cgroup(membership: str, name: str) -> Cgroup | None:
    """Return where cgroup `name` of a process with this `/proc/self/cgroup` goes; None: no memory control.

    Version 1: below the process's own. Version 2: beside its own, where no process stands in the way and the
    controller is usually handed down (a delegated systemd slice, or root); not yet tried on a real one.
    """
    for line in membership.splitlines():
        _, controllers, own = line.split(":", 2)
        if "memory" in controllers.split(","):
            path = f"{_ROOT}/memory{own.rstrip('/')}/{name}"
            swap = ("memory.memsw.limit_in_bytes", "{}")
            return Cgroup(
                path, limit_file="memory.limit_in_bytes", swap=swap, kills_file="memory.oom_control"
            )
    for line in membership.splitlines():
        if line.startswith("0::") and os.path.exists(f"{_ROOT}/cgroup.controllers"):
            path = f"{_ROOT}{os.path.dirname(line[3:]).rstrip('/')}/{name}"
            swap = ("memory.swap.max", "0")
            return Cgroup(path, limit_file="memory.max", swap=swap, kills_file="memory.events")
    return None


def make_cgroup(name: str, limit_bytes: int) -> Cgroup | None:
    """Create a cgroup with this limit, if this user may on this machine."""
    cgroup = locate_cgroup(read_small("/proc/self/cgroup").decode(), name)
    if cgroup is None:
        return None
    try:
        cgroup.make(limit_bytes)
    except OSError:
        return None
    return cgroup


def used_bytes(processes: list[Process], limit_bytes: int | None) -> int:
    """Return the memory of these processes together, exactly only when a quick look exceeds the limit.

    The quick look counts memory shared between them once for each, so it is never too low.
    """
    quick = sum(rss_bytes(pid) for pid, _ in processes)
    if limit_bytes is None or quick <= limit_bytes:
        return quick
    return sum(pss_bytes(pid) for pid, _ in processes)


def mib(count: int) -> str:
    """Write a size for a person."""
    return f"{count / _MIB:.0f} MiB"
