"""What an outcome means for a job: the table of states and wishes."""

import pytest

from l2_scheduler.local.attempts import Exit
from l2_scheduler.local.records import Record, Request
from l2_scheduler.local.settle import backoff_s, settle, settle_void
from l2_scheduler.schemas import Job, JobState, JobStatus, Retry

NOW = 1000.0


def record(
    *, retries: int = 0, restarts: int = 0, request: Request = "", retry: Retry | None = None
) -> Record:
    job = Job(name="a", command=("true",), retry=retry or Retry())
    status = JobStatus(job_id="1", job=job, state="RUNNING", attempt=1)
    return Record(status=status, submission=1, retries=retries, restarts=restarts, request=request)


def outcome(state: JobState, exit_code: int | None = None) -> Exit:
    return Exit(
        state=state, reason="because", exit_code=exit_code, signal=None, started_at=1, ended_at=9, elapsed_s=8
    )


@pytest.mark.parametrize(
    ("state", "retry", "request_", "then"),
    [
        ("COMPLETED", Retry(limit=3), "", "COMPLETED"),
        ("FAILED", Retry(), "", "FAILED"),
        ("FAILED", Retry(limit=1), "", "PENDING"),
        ("FAILED", Retry(limit=1), "cancel", "FAILED"),
        ("FAILED", Retry(restartable=True), "", "FAILED"),
        ("TIMEOUT", Retry(limit=3, restartable=True), "", "TIMEOUT"),
        ("OUT_OF_MEMORY", Retry(limit=3, restartable=True), "", "OUT_OF_MEMORY"),
        ("NODE_FAIL", Retry(limit=3), "", "NODE_FAIL"),
        ("NODE_FAIL", Retry(restartable=True), "", "PENDING"),
        ("NODE_FAIL", Retry(restartable=True), "cancel", "NODE_FAIL"),
        ("CANCELLED", Retry(limit=3, restartable=True), "cancel", "CANCELLED"),
        ("CANCELLED", Retry(), "requeue", "PENDING"),
        ("COMPLETED", Retry(), "requeue", "PENDING"),
    ],
)
def test_next_state(state: JobState, retry: Retry, request_: Request, then: str) -> None:
    columns = settle(record(retry=retry, request=request_), outcome(state), NOW)
    assert columns["state"] == then
    assert columns["request"] == ""


def test_retries_are_counted_and_end() -> None:
    retry = Retry(limit=2, backoff_s=10)
    first = settle(record(retry=retry), outcome("FAILED", 3), NOW)
    assert (first["retries"], first["not_before"]) == (1, NOW + 10)
    assert first["reason"] == "retry 1 of 2 after: because"
    second = settle(record(retry=retry, retries=1), outcome("FAILED", 3), NOW)
    assert (second["retries"], second["not_before"]) == (2, NOW + 20)
    assert settle(record(retry=retry, retries=2), outcome("FAILED", 3), NOW)["state"] == "FAILED"


@pytest.mark.parametrize(
    ("exit_code", "then"), [(3, "FAILED"), (6, "FAILED"), (5, "PENDING"), (None, "PENDING")]
)
def test_an_exit_code_that_would_come_again_is_final(exit_code: int | None, then: str) -> None:
    retry = Retry(limit=2, final_exit_codes=(3, 6))
    assert settle(record(retry=retry), outcome("FAILED", exit_code), NOW)["state"] == then


def test_the_first_restart_is_at_once_and_costs_no_retry() -> None:
    columns = settle(record(retry=Retry(restartable=True)), outcome("NODE_FAIL"), NOW)
    assert (columns["restarts"], columns["not_before"]) == (1, NOW)
    assert "retries" not in columns


def test_what_was_seen_is_kept() -> None:
    columns = settle(record(), outcome("FAILED", 3), NOW)
    assert (columns["exit_code"], columns["elapsed_s"], columns["ended_at"]) == (3, 8, 9)


@pytest.mark.parametrize(("count", "wait"), [(0, 0), (1, 10), (2, 20), (3, 40), (9, 600), (5000, 600)])
def test_backoff_doubles_up_to_a_limit(count: int, wait: float) -> None:
    assert backoff_s(10, 600, count) == wait


@pytest.mark.parametrize(
    ("wish", "then"),
    [("", "PENDING"), ("cancel", "CANCELLED"), ("kill", "CANCELLED"), ("requeue", "PENDING")],
)
def test_a_wish_about_an_attempt_that_never_started_is_granted(wish: Request, then: str) -> None:
    columns = settle_void(record(request=wish), "cut short", None, NOW)
    assert (columns["state"], columns["request"]) == (then, "")


def test_who_waits_again_holds_nothing_and_who_has_ended_shows_what_it_held() -> None:
    again = settle(record(retry=Retry(limit=1)), outcome("FAILED", 3), NOW)
    assert again["allocation"] == "[]"
    assert "allocation" not in settle(record(), outcome("FAILED", 3), NOW)
