"""A job's row in the queue's database, and the document it becomes."""

import sqlite3
from typing import Literal, TypedDict

import msgspec

from l2_scheduler.schemas import Job, JobStatus, NodeShare

__all__ = ["MIGRATIONS", "Columns", "Record", "Request", "read_record"]

Request = Literal["", "cancel", "kill", "requeue"]
"""A wish about an active job that only the agent can grant."""

MIGRATIONS = (
    """
    CREATE TABLE submissions (id INTEGER PRIMARY KEY AUTOINCREMENT, job TEXT NOT NULL);
    CREATE TABLE jobs (
        key INTEGER PRIMARY KEY AUTOINCREMENT,
        job_id TEXT NOT NULL UNIQUE,
        submission INTEGER NOT NULL REFERENCES submissions (id) ON DELETE CASCADE,
        seq INTEGER NOT NULL,
        array_index INTEGER,
        state TEXT NOT NULL DEFAULT 'PENDING',
        reason TEXT NOT NULL DEFAULT '',
        request TEXT NOT NULL DEFAULT '',
        request_reason TEXT NOT NULL DEFAULT '',
        held INTEGER NOT NULL DEFAULT 0,
        priority INTEGER NOT NULL,
        attempt INTEGER NOT NULL DEFAULT 0,
        retries INTEGER NOT NULL DEFAULT 0,
        restarts INTEGER NOT NULL DEFAULT 0,
        not_before REAL,
        submitted_at REAL NOT NULL,
        started_at REAL,
        ended_at REAL,
        elapsed_s REAL,
        exit_code INTEGER,
        signal INTEGER,
        peak_memory_bytes INTEGER,
        allocation TEXT NOT NULL DEFAULT '[]'
    );
    CREATE INDEX jobs_seq ON jobs (seq);
    CREATE INDEX jobs_state ON jobs (state);
    CREATE INDEX jobs_submission ON jobs (submission);
    CREATE TABLE counter (seq INTEGER NOT NULL);
    INSERT INTO counter VALUES (0);
    """,
)


class Columns(TypedDict, total=False):
    """The columns a transition may set."""

    state: str
    reason: str
    request: Request
    request_reason: str
    held: bool
    priority: int
    attempt: int
    retries: int
    restarts: int
    not_before: float | None
    submitted_at: float
    started_at: float | None
    ended_at: float | None
    elapsed_s: float | None
    exit_code: int | None
    signal: int | None
    peak_memory_bytes: int | None
    allocation: str


class Record(msgspec.Struct, frozen=True, kw_only=True):
    """A job's status with what only the engine needs."""

    status: JobStatus
    submission: int
    request: Request = ""
    request_reason: str = ""
    retries: int = 0
    restarts: int = 0

    @property
    def job_id(self) -> str:
        return self.status.job_id


def read_record(row: sqlite3.Row, job: Job, directory: str) -> Record:
    """Make the record of a row of `jobs`."""
    allocation = row["allocation"]
    status = JobStatus(
        job_id=row["job_id"],
        native_id=row["job_id"],
        job=job,
        state=row["state"],
        reason=row["reason"],
        held=bool(row["held"]),
        priority=row["priority"],
        array_index=row["array_index"],
        attempt=row["attempt"],
        not_before=row["not_before"],
        submitted_at=row["submitted_at"],
        started_at=row["started_at"],
        ended_at=row["ended_at"],
        elapsed_s=row["elapsed_s"],
        exit_code=row["exit_code"],
        signal=row["signal"],
        peak_memory_bytes=row["peak_memory_bytes"],
        allocation=() if allocation == "[]" else msgspec.json.decode(allocation, type=tuple[NodeShare, ...]),
        directory=directory,
    )
    return Record(
        status=status,
        submission=row["submission"],
        request=row["request"],
        request_reason=row["request_reason"],
        retries=row["retries"],
        restarts=row["restarts"],
    )
