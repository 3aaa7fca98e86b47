"""A regular look at the job's processes: their memory, and a list for whoever must clean up after us."""

from __future__ import annotations

import os
import time

from l2_scheduler.local.shim.files import write_whole
from l2_scheduler.local.shim.memory import used_bytes
from l2_scheduler.local.shim.proc import boot_id, descendants

_FIRST_S = 0.1
_INTERVAL_S = 1.0
_LIMIT_INTERVAL_S = 0.25
_SHARE = 100
_LIMIT_SHARE = 25


class Watch:
    """Looks every second, or four times if the memory limit is ours; spends at most 1 % (4 %) of a CPU."""

    def __init__(self, now: float, limit_bytes: int | None, *, by_kernel: bool) -> None:
        """Begin at `now` (monotonic seconds); `by_kernel` says that a cgroup keeps the limit."""
        ours = limit_bytes is not None and not by_kernel
        self.due_at = now + _FIRST_S
        self.peak_bytes = 0
        self._limit_bytes = limit_bytes if ours else None
        self._interval_s = _LIMIT_INTERVAL_S if ours else _INTERVAL_S
        self._share = _LIMIT_SHARE if ours else _SHARE
        self._boot_id = boot_id()
        self._listed: list[list[int]] = []
        self._listed_at = 0.0

    def note(self, memory_bytes: int) -> None:
        """Take a measurement that others made."""
        self.peak_bytes = max(self.peak_bytes, memory_bytes)

    def look(self, now: float) -> int:
        """Look at all descendants, list them in `processes.json` if they changed, return their memory."""
        processes = descendants(os.getpid())
        used = used_bytes(processes, self._limit_bytes)
        self.note(used)
        self._list([list(process) for process in processes], now)
        cost = time.monotonic() - now
        self.due_at = now + max(self._interval_s, cost * self._share)
        return used

    def _list(self, processes: list[list[int]], now: float) -> None:
        if processes == self._listed or now < self._listed_at + _INTERVAL_S:
            return
        try:
            write_whole("processes.json", {"boot_id": self._boot_id, "processes": processes}, durable=False)
        except OSError:  # a full disk: the next look tries again
            return
        self._listed, self._listed_at = processes, now
