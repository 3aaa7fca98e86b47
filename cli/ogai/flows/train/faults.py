"""What went wrong in a run, and what the log of any trainer means."""

import os
import sys
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO

import msgspec

from l0_infra.core.errors import UsageError, describe_os_error
from l0_infra.core.store import ogai_home
from l3_modeltools import OWN_ERRORS, Catalogue, Meaning, classify_text, load_catalogue
from l3_modeltools.schemas import Evidence, KnownError, Run, TrainingFault
from ogai.flows.engine import open_engine
from ogai.flows.job.logs import LogView, read_logs
from ogai.flows.train.runs import find

__all__ = ["explain", "faults", "own_errors", "read_meaning"]

TAIL_BYTES = 2 * 2**20
"""Read of the end of a log; what went wrong stands there."""

PIECE_BYTES = 2**18


@dataclass(frozen=True, kw_only=True, slots=True)
class Tail:
    """The last lines of a log, and how many were before them."""

    lines: list[str]
    before: int


def faults(reference: str) -> tuple[TrainingFault, ...]:
    """Return the faults of a run by number; of a failed run that told none, what the end of its log means."""
    run = find(reference)
    told = run.faults_seen
    return told if told or run.state != "FAILED" else (fault_of(run, meaning_of(last_output(run))),)


def explain(fault: TrainingFault) -> KnownError | None:
    """Return the entry of the catalogue that a fault is known as; None: it is in none."""
    return catalogue().names.get(fault.known_as or "")


def own_errors() -> Path:
    """Name the file in which a person describes errors that ogai does not know."""
    return ogai_home(os.environ) / OWN_ERRORS


def read_meaning(file: Path | str) -> Meaning:
    """Say what a log means; `-` is standard input. Raises UsageError when the file cannot be read."""
    if str(file) == "-":
        return meaning_of(pieces_of(sys.stdin.buffer))
    try:
        with Path(file).open("rb") as log:
            return meaning_of(pieces_of(log))
    except OSError as error:
        raise UsageError(
            f"--log {file}",
            found=describe_os_error(error),
            expected="a log that can be read",
            hint="a run's own faults: ogai train faults RUN; what a run printed: ogai train logs RUN",
        ) from error


def catalogue() -> Catalogue:
    return load_catalogue(own_errors())


def meaning_of(pieces: Iterable[bytes]) -> Meaning:
    tail = read_tail(pieces)
    meaning = classify_text(tail.lines, catalogue())
    number = None if meaning.line_number is None else meaning.line_number + tail.before
    return msgspec.structs.replace(meaning, line_number=number, lines_before=tail.before)


def read_tail(pieces: Iterable[bytes]) -> Tail:
    """Keep the last lines of what may be of any length."""
    kept, before = bytearray(), 0
    for piece in pieces:
        kept += piece
        if len(kept) > 2 * TAIL_BYTES:
            before += drop_front(kept)
    before += drop_front(kept)
    return Tail(lines=kept.decode(errors="replace").split("\n"), before=before)


def drop_front(kept: bytearray) -> int:
    """Drop what is beyond the tail; return how many lines ended there."""
    surplus = max(0, len(kept) - TAIL_BYTES)
    lines = kept.count(b"\n", 0, surplus)
    del kept[:surplus]
    return lines


def pieces_of(file: BinaryIO) -> Iterator[bytes]:
    return iter(lambda: file.read(PIECE_BYTES), b"")


def last_output(run: Run) -> Iterator[bytes]:
    """Yield what the newest start of a run printed."""
    with open_engine() as engine:
        known = {status.job_id for status in engine.poll(())}
        for job_id in run.job_ids[-1:]:
            if job_id in known:
                yield from (chunk.piece.data for chunk in read_logs(engine, job_id, LogView()))


def fault_of(run: Run, meaning: Meaning) -> TrainingFault:
    """Write what a log means as a fault of the run."""
    known = meaning.error
    said = meaning.line or run.reason or "nothing was printed that tells why"
    return TrainingFault(
        run=run.run_id,
        fault_class=meaning.fault_class or "unknown",
        summary=known.explanation if known is not None else said,
        known_as=known.name if known is not None else None,
        detected_at=run.ended_at if run.ended_at is not None else run.submitted_at,
        step=run.step or None,
        evidence=(Evidence(source="log" if meaning.line else "exit", text=said),),
        advised=meaning.advised,
    )
