"""How an attempt ended, as `exit.json` says it."""

from __future__ import annotations

import time

from l2_scheduler.local.shim.keeper import Keeper
from l2_scheduler.local.shim.tasks import Task


class Outcome:
    """State, reason and numbers of an attempt that is over."""

    def __init__(self, state: str, reason: str) -> None:
        """Begin with an attempt of which no task ever existed."""
        self.state = state
        self.reason = reason
        self.tasks: list[Task] = []
        self.decisive: Task | None = None
        self.elapsed_s = 0.0
        self.peak_memory_bytes = 0
        self.lost_log_bytes = 0

    def document(self, started_at: float) -> dict[str, object]:
        """Return what `exit.json` holds; `exit_code` and `signal` are those of the first task that failed."""
        decisive = self.decisive
        return {
            "state": self.state,
            "reason": self.reason,
            "exit_code": decisive.exit_code if decisive else 0 if self.tasks else None,
            "signal": decisive.signal if decisive else None,
            "tasks": [
                {"rank": task.rank, "exit_code": task.exit_code, "signal": task.signal} for task in self.tasks
            ],
            "started_at": started_at,
            "ended_at": time.time(),
            "elapsed_s": self.elapsed_s,
            "peak_memory_bytes": self.peak_memory_bytes,
            "lost_log_bytes": self.lost_log_bytes,
        }


def outcome_of(keeper: Keeper, tasks: list[Task], *, elapsed_s: float, lost_log_bytes: int) -> Outcome:
    """Sum up what a keeper brought to its end."""
    outcome = Outcome(keeper.ending.state, _with_loss(keeper.ending.reason, lost_log_bytes))
    outcome.tasks = tasks
    outcome.decisive = keeper.first_failed
    outcome.elapsed_s = elapsed_s
    outcome.peak_memory_bytes = keeper.watch.peak_bytes
    outcome.lost_log_bytes = lost_log_bytes
    return outcome


def _with_loss(reason: str, lost_log_bytes: int) -> str:
    """Say in the reason that output was lost: a disk that is still full has no room to say so in the log."""
    if not lost_log_bytes:
        return reason
    loss = f"{lost_log_bytes} bytes of output were lost"
    return f"{reason}; {loss}" if reason else loss
