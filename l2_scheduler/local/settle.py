"""What an attempt's outcome means for its job: done, or once more."""

from l2_scheduler.local.attempts import Exit
from l2_scheduler.local.records import Columns, Record

__all__ = ["backoff_s", "settle", "settle_void"]


def settle(record: Record, outcome: Exit, now: float) -> Columns:
    """Decide a job's next state.

    FAILED is retried within `retry.limit`, but for `retry.final_exit_codes`; NODE_FAIL restarts a `restartable` job and
    does not count as a retry; a requeue wish of a person always restarts. A person's cancel, a time-out and an exceeded
    memory limit are final.
    """
    again = restart(record, outcome, now)
    seen = seen_of(outcome)
    if again is not None:
        return {**seen, **again, "state": "PENDING", "request": "", "request_reason": "", "allocation": "[]"}
    return {**seen, "state": outcome.state, "reason": outcome.reason, "request": "", "request_reason": ""}


def settle_void(record: Record, reason: str, not_before: float | None, now: float) -> Columns:
    """Put a job back whose attempt never started, unless a person wants its end; a wish to requeue it is granted."""
    if record.request in {"cancel", "kill"}:
        reason = record.request_reason
        return {"state": "CANCELLED", "reason": reason, "ended_at": now, "request": "", "request_reason": ""}
    return {
        "state": "PENDING",
        "reason": reason,
        "not_before": not_before,
        "allocation": "[]",
        "request": "",
        "request_reason": "",
    }


def restart(record: Record, outcome: Exit, now: float) -> Columns | None:
    """Say how the job goes on if it is started again; None if this outcome is final."""
    retry = record.status.job.retry
    if record.request == "requeue":
        return {"reason": record.request_reason or "requeued", "not_before": None}
    if record.request:
        return None
    final = outcome.exit_code in retry.final_exit_codes
    if outcome.state == "FAILED" and record.retries < retry.limit and not final:
        count = record.retries + 1
        wait = backoff_s(retry.backoff_s, retry.backoff_max_s, count)
        reason = f"retry {count} of {retry.limit} after: {outcome.reason}"
        return {"retries": count, "not_before": now + wait, "reason": reason}
    if outcome.state == "NODE_FAIL" and retry.restartable:
        count = record.restarts + 1
        wait = backoff_s(retry.backoff_s, retry.backoff_max_s, record.restarts)
        return {
            "restarts": count,
            "not_before": now + wait,
            "reason": f"restart {count} after: {outcome.reason}",
        }
    return None


def seen_of(outcome: Exit) -> Columns:
    return {
        "started_at": outcome.started_at,
        "ended_at": outcome.ended_at,
        "elapsed_s": outcome.elapsed_s,
        "exit_code": outcome.exit_code,
        "signal": outcome.signal,
        "peak_memory_bytes": outcome.peak_memory_bytes,
    }


def backoff_s(first_s: float, most_s: float, count: int) -> float:
    """Double the wait with each repetition: 0 for count 0, then `first_s` · 2^(count-1), at most `most_s`."""
    return min(most_s, first_s * 2.0 ** min(count - 1, 60)) if count > 0 else 0.0
