"""The persistent queue: every change is one durable transaction, by whichever process makes it."""

import json
import sqlite3
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Unpack

import msgspec

from l0_infra.core.errors import EngineError
from l0_infra.core.store import Database, save_file
from l2_scheduler.local.arrays import expand_indices
from l2_scheduler.local.layout import Layout
from l2_scheduler.local.records import MIGRATIONS, Columns, Record, Request, read_record
from l2_scheduler.local.shell import Shell
from l2_scheduler.schemas import FINAL_STATES, Job

if TYPE_CHECKING:
    from l2_scheduler.placement import Start

__all__ = ["JobQueue", "Rule"]


MOST_DIGITS = 18


@dataclass(frozen=True, slots=True)
class Rule:
    """Columns to set for jobs in one of `states`.

    With `seen_request`, only while the wish about the job is still that one: a wish made meanwhile must not be lost.
    """

    states: tuple[str, ...]
    columns: Columns
    seen_request: Request | None = None


class JobQueue:
    """The queue of one OGAI_HOME, used by the command line and the agent at the same time.

    The agent's is not `durable`: what a power cut takes of its changes it finds again in the attempts' folders. A row
    that cannot be read is given to `on_damage`, which raises or, for the agent, lets the other jobs go on.
    """

    def __init__(
        self,
        layout: Layout,
        *,
        durable: bool = True,
        on_damage: Callable[[EngineError], None] | None = None,
    ) -> None:
        self.layout = layout
        self.on_damage = on_damage or fail
        self.database = Database(layout.database, MIGRATIONS, durable=durable)
        self.submitted: dict[int, Job] = {}

    def close(self) -> None:
        self.database.close()

    def add(self, job: Job, shell: Shell, now: float, *, held: bool = False) -> tuple[str, ...]:
        """Store a job, expanded by its array, and the shell it comes from; return the ids.

        Raises UsageError for bad array indices, EngineError when the store cannot be written; then nothing was added.
        """
        indices = expand_indices(job.array.indices) if job.array else (None,)
        with self.database.transaction() as connection:
            text = msgspec.json.encode(job).decode()
            number = connection.execute("INSERT INTO submissions (job) VALUES (?)", (text,)).lastrowid
            if number is None:
                raise sqlite3.DatabaseError("no id was given")
            ids = tuple(str(number) if index is None else f"{number}_{index}" for index in indices)
            seq = next_seq(connection)
            connection.executemany(
                "INSERT INTO jobs (job_id, submission, seq, array_index, held, priority, submitted_at)"
                " VALUES (?, ?, ?, ?, ?, ?, ?)",
                [
                    (job_id, number, seq, index, held, job.priority, now)
                    for job_id, index in zip(ids, indices, strict=True)
                ],
            )
            self.keep_shell(number, shell)
        return ids

    def keep_shell(self, number: int, shell: Shell) -> None:
        """Store what a submission's jobs inherit, for their owner's eyes only. Raises EngineError."""
        path, text = self.layout.environment(number), json.dumps(msgspec.to_builtins(shell, str_keys=True))
        try:
            save_file(path, text.encode(), mode=0o600)
        except OSError as error:
            raise EngineError(
                str(path),
                found=str(error),
                expected="room for the job's environment",
                hint="free some space there, then submit again; nothing was queued",
                retry=True,
            ) from error

    def changes(self, since: int) -> tuple[int, list[Record]]:
        """Read the rows changed after sequence number `since`, and the newest number."""
        with self.database.reading() as connection:
            newest = int(connection.execute("SELECT seq FROM counter").fetchone()[0])
            rows = connection.execute("SELECT * FROM jobs WHERE seq > ? ORDER BY key", (since,)).fetchall()
            return newest, self.records(connection, rows)

    def all(self) -> list[Record]:
        """Read every job, in order of submission."""
        return self.changes(-1)[1]

    def find(self, reference: str) -> list[Record]:
        """Read the job with this id, or all elements of the array with this id; empty if there is none."""
        with self.database.reading() as connection:
            rows = connection.execute("SELECT * FROM jobs WHERE job_id = ?", (reference,)).fetchall()
            if not rows and is_number(reference):
                query = "SELECT * FROM jobs WHERE submission = ? ORDER BY key"
                rows = connection.execute(query, (int(reference),)).fetchall()
            return self.records(connection, rows)

    def records(self, connection: sqlite3.Connection, rows: Iterable[sqlite3.Row]) -> list[Record]:
        arrays: dict[int, Job] = {}
        folder = str(self.layout.jobs)
        found = []
        for row in rows:
            try:
                job = self.job_of(connection, row["submission"], arrays)
                found.append(read_record(row, job, f"{folder}/{row['job_id']}"))
            except msgspec.DecodeError as error:
                self.on_damage(damaged(self.layout.database, row["job_id"], error))
        return found

    def job_of(self, connection: sqlite3.Connection, submission: int, arrays: dict[int, Job]) -> Job:
        """Decode a submission's job once; an array's anew for each reading, for its throttle may have changed."""
        known = self.submitted.get(submission) or arrays.get(submission)
        if known is None:
            row = connection.execute("SELECT job FROM submissions WHERE id = ?", (submission,)).fetchone()
            known = msgspec.json.decode(row["job"], type=Job)
            (arrays if known.array else self.submitted)[submission] = known
        return known

    def throttle(self, submission: int, most: int | None) -> None:
        """Set how many elements of an array run at once; None: as many as fit. Does nothing to a job without array."""
        with self.database.transaction() as connection:
            job = self.job_of(connection, submission, {})
            if job.array is None:
                return
            job = msgspec.structs.replace(job, array=msgspec.structs.replace(job.array, throttle=most))
            text = msgspec.json.encode(job).decode()
            connection.execute("UPDATE submissions SET job = ? WHERE id = ?", (text, submission))
            seq = next_seq(connection)
            connection.execute("UPDATE jobs SET seq = ? WHERE submission = ?", (seq, submission))

    def change(self, job_id: str, states: Iterable[str], **columns: Unpack[Columns]) -> bool:
        """Set columns of a job if it is in one of `states`; tell whether it was."""
        return bool(self.change_each([job_id], Rule(tuple(states), columns)))

    def change_each(self, job_ids: Iterable[str], *rules: Rule) -> list[str]:
        """Apply to each job the first rule that covers its state, all in one transaction; return the jobs changed."""
        with self.database.transaction() as connection:
            seq = next_seq(connection)
            return [
                job_id
                for job_id in job_ids
                if any(change_row(connection, seq, job_id, rule) for rule in rules)
            ]

    def start(self, starts: "Iterable[Start]", now: float) -> set[str]:
        """Turn pending jobs into starting ones with their slots; return those that were still waiting and not held."""
        statement = (
            "UPDATE jobs SET seq = ?, state = 'CONFIGURING', attempt = attempt + 1, started_at = ?, allocation = ?,"
            " reason = '', not_before = NULL, ended_at = NULL, elapsed_s = NULL, exit_code = NULL, signal = NULL,"
            " peak_memory_bytes = NULL WHERE job_id = ? AND state = 'PENDING' AND held = 0"
        )
        with self.database.transaction() as connection:
            seq = next_seq(connection)
            return {
                start.job_id
                for start in starts
                if connection.execute(
                    statement, (seq, now, msgspec.json.encode(start.allocation).decode(), start.job_id)
                ).rowcount
            }

    def remove(self, job_ids: Iterable[str]) -> list[Path]:
        """Forget those jobs that have ended, and submissions that have none left; return the files and folders to go.

        A job requeued since it was picked is kept.
        """
        statement = f"DELETE FROM jobs WHERE job_id = ? AND state IN ({', '.join('?' * len(FINAL_STATES))})"
        with self.database.transaction() as connection:
            gone = [
                job_id
                for job_id in job_ids
                if connection.execute(statement, (job_id, *FINAL_STATES)).rowcount
            ]
            empty = connection.execute(
                "DELETE FROM submissions WHERE id NOT IN (SELECT submission FROM jobs) RETURNING id"
            ).fetchall()
            next_seq(connection)
        return [self.layout.job(job_id) for job_id in gone] + [
            self.layout.environment(row["id"]) for row in empty
        ]


def is_number(reference: str) -> bool:
    """Tell whether it may be the id of a submission: ASCII digits that SQLite can hold."""
    return reference.isascii() and reference.isdecimal() and len(reference) <= MOST_DIGITS


def fail(error: EngineError) -> None:
    """Take a damaged row as a failure of what is being done."""
    raise error


def damaged(database: Path, job_id: str, error: msgspec.DecodeError) -> EngineError:
    return EngineError(
        str(database),
        found=f"a damaged row of job {job_id} ({error})",
        expected="an ogai queue",
        hint="the other jobs go on; upgrade if a newer ogai wrote it, else move the file away once they have ended",
    )


def next_seq(connection: sqlite3.Connection) -> int:
    return int(connection.execute("UPDATE counter SET seq = seq + 1 RETURNING seq").fetchone()[0])


def change_row(connection: sqlite3.Connection, seq: int, job_id: str, rule: Rule) -> bool:
    assignments = ", ".join(f"{name} = ?" for name in rule.columns)
    marks = ", ".join("?" * len(rule.states))
    statement = f"UPDATE jobs SET seq = ?, {assignments} WHERE job_id = ? AND state IN ({marks})"
    values: tuple[object, ...] = (seq, *rule.columns.values(), job_id, *rule.states)
    if rule.seen_request is not None:
        statement, values = statement + " AND request = ?", (*values, rule.seen_request)
    return connection.execute(statement, values).rowcount == 1
