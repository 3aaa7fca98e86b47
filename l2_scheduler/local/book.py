"""The agent's picture of the queue, kept current by reading only the rows that changed."""

from collections.abc import Iterable

from l2_scheduler.local.queue import JobQueue
from l2_scheduler.local.records import Record
from l2_scheduler.schemas import ACTIVE_STATES, FINAL_STATES, JobStatus

__all__ = ["Book"]


class Book:
    """All jobs by id: those still open, and those that ended."""

    def __init__(self) -> None:
        self.seq = -1
        self.open: dict[str, Record] = {}
        self.ended: dict[str, Record] = {}
        self.ended_of: dict[str, set[str]] = {}
        self.awaited: set[str] = set()

    def refresh(self, queue: JobQueue) -> None:
        """Take in what changed since the last time."""
        self.seq, changed = queue.changes(self.seq)
        for record in changed:
            self.file(record)

    def file(self, record: Record) -> None:
        job_id, array_id = record.job_id, str(record.submission)
        self.awaited.update(dependency.job for dependency in record.status.job.depends_on)
        if record.status.state in FINAL_STATES:
            self.open.pop(job_id, None)
            self.ended[job_id] = record
            self.ended_of.setdefault(array_id, set()).add(job_id)
        else:
            self.open[job_id] = record
            self.ended.pop(job_id, None)
            self.ended_of.get(array_id, set()).discard(job_id)

    def active(self) -> list[Record]:
        """List the jobs that hold slots."""
        return [record for record in self.open.values() if record.status.state in ACTIVE_STATES]

    def pending(self) -> list[Record]:
        """List the jobs that wait."""
        return [record for record in self.open.values() if record.status.state == "PENDING"]

    def relevant(self) -> list[JobStatus]:
        """List what placement must see: every open job, and the ended ones that others name as dependencies."""
        statuses = [record.status for record in self.open.values()]
        statuses.extend(self.ended[job_id].status for job_id in sorted(self.named()))
        return statuses

    def named(self) -> set[str]:
        ids: set[str] = set()
        for reference in self.awaited:
            ids |= self.ended_of.get(reference, set()) if reference not in self.ended else {reference}
        return ids


def book_of(records: Iterable[Record]) -> Book:
    """Make a book of records read elsewhere."""
    book = Book()
    for record in records:
        book.file(record)
    return book
