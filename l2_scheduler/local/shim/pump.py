"""Moves output from the tasks' pipes to their logs: large reads, each task in its turn, rests in between."""

from __future__ import annotations

import os
import select
import time

from l2_scheduler.local.shim.logs import STEP_S, TaskLog
from l2_scheduler.local.shim.tasks import PIPE_BYTES

_DRAIN_TURNS = 64


class Pump:
    """All pipes behind one descriptor, `fileno()`, which is readable when a task has written."""

    def __init__(self, logs: dict[int, TaskLog]) -> None:
        """Take the read end of each task's pipe, set non-blocking, and its log."""
        self._logs = logs
        self._epoll = select.epoll()
        for pipe in logs:
            self._epoll.register(pipe, select.EPOLLIN)

    def fileno(self) -> int:
        """Return the descriptor to wait on."""
        return self._epoll.fileno()

    def turn(self) -> float:
        """Read once from each pipe that has something; return how many seconds to let small writes gather."""
        largest = 0
        for pipe, _ in self._epoll.poll(0):
            count = self._read(pipe)
            if not count:
                self._epoll.unregister(pipe)
            largest = max(largest, count)
        return 0.0 if largest > PIPE_BYTES // 4 else STEP_S

    def close(self) -> None:
        """Take what the pipes still hold and close the logs; a foreign holder of a pipe cannot delay this."""
        for pipe, log in tuple(self._logs.items()):
            turns = iter(range(_DRAIN_TURNS))
            while self._read(pipe) and next(turns, None) is not None:
                pass
            log.close(time.time())

    def _read(self, pipe: int) -> int:
        try:
            data = os.read(pipe, PIPE_BYTES)
        except BlockingIOError:
            return 0
        self._logs[pipe].write(data, time.time())
        return len(data)
