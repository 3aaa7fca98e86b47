"""Why and when a job ends, as arithmetic: the first cause counts, later ones can only hasten it."""

from __future__ import annotations

import signal
from math import inf

from l2_scheduler.local.shim.tasks import Task

SETTLE_S = 0.5
"""How long what an ended task left running may go on before it is told to end: `… | tee` wants to finish."""


class Ending:
    """The state the job will have; when SIGTERM and SIGKILL are due, in monotonic seconds, `inf`: never."""

    def __init__(self) -> None:
        """Begin with a job that just runs."""
        self.state = ""
        self.reason = ""
        self.terminate_at = inf
        self.kill_at = inf
        self._told = False

    def decide(self, state: str, reason: str) -> None:
        """Fix state and reason, unless an earlier cause did."""
        if not self.state:
            self.state, self.reason = state, reason

    def terminate(self, at: float) -> None:
        """Have SIGTERM sent at this time, or earlier if that was planned; but only once."""
        if not self._told:
            self.terminate_at = min(self.terminate_at, at)

    def told(self) -> None:
        """Note that SIGTERM was sent."""
        self._told = True
        self.terminate_at = inf

    def kill(self, at: float) -> None:
        """Have SIGKILL sent at this time, or earlier if that was planned."""
        self.kill_at = min(self.kill_at, at)


def describe_failure(task: Task, trouble: str) -> str:
    """Say in one sentence how a task failed; `trouble` is why its program never ran."""
    if trouble:
        return trouble
    if task.signal is not None:
        return f"task {task.rank} was ended by signal {task.signal} ({signal_name(task.signal)})"
    return f"task {task.rank} ended with exit code {task.exit_code}"


def signal_name(number: int) -> str:
    """Return `SIGKILL` for 9; real-time signals have only a number."""
    try:
        return signal.Signals(number).name
    except ValueError:
        return f"SIG{number}"
