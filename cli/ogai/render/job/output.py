"""A job's output on stdout: the bytes as they are, each line headed by its task when there are several."""

import sys
from collections.abc import Iterable

import click

from l2_scheduler import Piece, stamp
from l2_scheduler.schemas import FINAL_STATES, JobStatus
from ogai.flows.job.logs import Chunk, LogView

__all__ = ["Lines", "tell_if_silent", "write_chunks"]


class Lines:
    """Heads each whole line of several tasks by `[rank] `; what is unfinished waits for its end."""

    def __init__(self) -> None:
        self.unfinished: dict[int, bytes] = {}

    def take(self, rank: int, data: bytes) -> bytes:
        """Return the lines that are now whole."""
        *lines, rest = (self.unfinished.pop(rank, b"") + data).split(b"\n")
        if rest:
            self.unfinished[rank] = rest
        return b"".join(b"[%d] %b\n" % (rank, line) for line in lines)

    def finish(self) -> bytes:
        """Return the lines that never ended."""
        rest = b"".join(b"[%d] %b\n" % item for item in sorted(self.unfinished.items()))
        self.unfinished = {}
        return rest


class Stamps:
    """Puts the time before each line of one task, over any number of pieces."""

    def __init__(self) -> None:
        self.midline: set[int] = set()

    def take(self, rank: int, piece: Piece) -> bytes:
        """Return the piece, with the time before it unless it goes on with a line."""
        data = piece.data if rank in self.midline else b"".join(stamp([piece]))
        self.midline.discard(rank)
        if not piece.data.endswith(b"\n"):
            self.midline.add(rank)
        return data


def write_chunks(chunks: Iterable[Chunk], view: LogView, *, tasks: int) -> bool:
    """Write a job's output as it comes, and tell of restarts on stderr. Return whether there was any."""
    stdout = sys.stdout.buffer
    lines, stamps = Lines(), Stamps()
    headed = tasks > 1 and view.task is None
    attempt = 0
    for chunk in chunks:
        if attempt and chunk.attempt != attempt:
            stdout.write(lines.finish())
            stdout.flush()
            click.echo(f"-- attempt {chunk.attempt} --", err=True)
        attempt = chunk.attempt
        data = stamps.take(chunk.rank, chunk.piece) if view.timestamps else chunk.piece.data
        stdout.write(lines.take(chunk.rank, data) if headed else data)
        stdout.flush()
    stdout.write(lines.finish())
    stdout.flush()
    return bool(attempt)


def tell_if_silent(status: JobStatus) -> None:
    """Say on stderr why there is nothing to see."""
    if status.state in FINAL_STATES:
        said = f"it printed nothing; it is {status.state}"
    elif status.attempt:
        said = f"it has printed nothing yet; go on looking: ogai job logs -f {status.job_id}"
    else:
        said = f"it has not started; what it waits for: ogai job why {status.job_id}"
    click.echo(f"job {status.job_id}: {said}", err=True)
