"""What a job printed: all of it, its last lines, or as it comes, over rotated files, restarts and the wait before."""

import time
from collections import deque
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

from l0_infra.core.errors import UsageError
from l2_scheduler import LocalEngine, Piece, read_log
from l2_scheduler.schemas import FINAL_STATES, JobStatus

__all__ = ["Chunk", "LogView", "last_lines", "one_job", "read_logs"]

LOOK_EVERY_S = 0.1


@dataclass(frozen=True, kw_only=True, slots=True)
class LogView:
    """What of a job's output is wanted; None means every task, the newest attempt, all lines."""

    task: int | None = None
    attempt: int | None = None
    tail: int | None = None
    timestamps: bool = False


@dataclass(frozen=True, kw_only=True, slots=True)
class Chunk:
    """Consecutive output of one task (`rank`) of one attempt."""

    attempt: int
    rank: int
    piece: Piece


@dataclass(kw_only=True, slots=True)
class Reading:
    """How far each task of an attempt has been read."""

    attempt: int
    ranks: Sequence[int]
    offsets: dict[int, int] = field(default_factory=dict)


def read_logs(engine: LocalEngine, job_id: str, view: LogView, *, follow: bool = False) -> Iterator[Chunk]:
    """Yield the output of one job; with `follow`, until it has ended for good, whatever attempt it is in.

    Raises UsageError for an array, and for a task or attempt that the job does not have.
    """
    status = one_job(engine, job_id)
    reading = Reading(attempt=chosen_attempt(status, view), ranks=chosen_ranks(status, view))
    guard = engine.guard()
    while True:
        yield from _pieces(status, reading, view)
        if view.attempt is None and status.attempt > reading.attempt:
            reading = Reading(attempt=reading.attempt + 1, ranks=reading.ranks)
        elif not follow or _over(status, reading):
            return
        else:
            guard.look(time.monotonic())
            time.sleep(LOOK_EVERY_S)
        view, status = replace(view, tail=None), engine.poll([job_id])[0]


def one_job(engine: LocalEngine, job_id: str) -> JobStatus:
    """Find the job; UsageError for an array, which has as many outputs as elements."""
    statuses = engine.poll([job_id])
    if statuses[0].job_id != job_id:
        raise UsageError(
            f"job {job_id}",
            found=f"an array of {len(statuses)}",
            expected="one of its elements",
            hint=f"ogai job logs {statuses[0].job_id}",
        )
    return statuses[0]


def chosen_attempt(status: JobStatus, view: LogView) -> int:
    """Say which attempt to read first; a job that has not started will begin with 1."""
    if view.attempt is None:
        return max(1, status.attempt)
    if not 1 <= view.attempt <= status.attempt:
        raise UsageError(
            "--attempt",
            found=str(view.attempt),
            expected=f"one of the {status.attempt} so far, counted from 1",
        )
    return view.attempt


def chosen_ranks(status: JobStatus, view: LogView) -> Sequence[int]:
    """Say which tasks to read."""
    tasks = status.job.resources.tasks_per_node
    if view.task is None:
        return range(tasks)
    if not 0 <= view.task < tasks:
        last = f"0 to {tasks - 1}" if tasks > 1 else "0, the only task"
        raise UsageError("--task", found=str(view.task), expected=last)
    return (view.task,)


def last_lines(pieces: Iterable[Piece], count: int) -> list[Piece]:
    """Keep the last `count` lines; what follows the last line's end counts as a line of its own."""
    kept: deque[tuple[Piece, int]] = deque()
    lines = 0
    for piece in pieces:
        ends = piece.data.count(b"\n")
        kept.append((piece, ends))
        lines += ends
        while lines - kept[0][1] > count:
            lines -= kept.popleft()[1]
    rest = [piece for piece, _ in kept]
    if not rest:
        return rest
    unfinished = not rest[-1].data.endswith(b"\n")
    surplus = lines + unfinished - count
    return _without_lines(rest, surplus) if surplus > 0 else rest


def _without_lines(pieces: list[Piece], surplus: int) -> list[Piece]:
    """Drop so many lines from the front."""
    for index, piece in enumerate(pieces):
        ends = piece.data.count(b"\n")
        if ends >= surplus:
            cut = _after_line(piece.data, surplus)
            first = Piece(offset=piece.offset + cut, data=piece.data[cut:], at=piece.at)
            return [part for part in (first, *pieces[index + 1 :]) if part.data]
        surplus -= ends
    return []


def _after_line(data: bytes, count: int) -> int:
    """Return the offset behind the line end number `count`."""
    end = 0
    for _ in range(count):
        end = data.index(b"\n", end) + 1
    return end


def _pieces(status: JobStatus, reading: Reading, view: LogView) -> Iterator[Chunk]:
    folder = Path(status.directory) / str(reading.attempt)
    for rank in reading.ranks:
        start = reading.offsets.get(rank, 0)
        pieces: Iterable[Piece] = read_log(folder, rank, from_offset=start, timestamps=view.timestamps)
        for piece in pieces if view.tail is None else last_lines(pieces, view.tail):
            reading.offsets[rank] = piece.end
            yield Chunk(attempt=reading.attempt, rank=rank, piece=piece)


def _over(status: JobStatus, reading: Reading) -> bool:
    """Whether no more can come to the attempt being read; asked of a status taken before the last read."""
    return status.attempt > reading.attempt or status.state in FINAL_STATES
