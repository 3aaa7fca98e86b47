"""How jobs ended, in words, and whether that is what was hoped for."""

import signal
from collections.abc import Sequence

from l0_infra.core.errors import UnhealthyError
from l2_scheduler.schemas import JobStatus

__all__ = ["describe_end", "judge_fate", "signal_name"]

NAMED_AT_MOST = 5


def judge_fate(statuses: Sequence[JobStatus]) -> None:
    """Return if all jobs completed; raise UnhealthyError that names those that did not, and why."""
    bad = [status for status in statuses if status.state != "COMPLETED"]
    if not bad:
        return
    named = "; ".join(f"{status.job_id} {describe_end(status)}" for status in bad[:NAMED_AT_MOST])
    more = f" and {len(bad) - NAMED_AT_MOST} more" if len(bad) > NAMED_AT_MOST else ""
    one = len(statuses) == 1
    raise UnhealthyError(
        f"job {bad[0].job_id}" if one else f"{len(bad)} of {len(statuses)} jobs",
        found=describe_end(bad[0]) if one else named + more,
        expected="COMPLETED",
        hint=f"ogai job logs {bad[0].job_id}" if bad[0].attempt else f"ogai job show {bad[0].job_id}",
    )


def describe_end(status: JobStatus) -> str:
    """Say state and reason: `FAILED (task 0 ended with exit code 3)`."""
    return f"{status.state} ({status.reason})" if status.reason else status.state


def signal_name(number: int) -> str:
    """Write `signal 9 (SIGKILL)`; real-time signals have only a number."""
    names = {member.value: member.name for member in signal.Signals}
    return f"signal {number} ({names[number]})" if number in names else f"signal {number}"
