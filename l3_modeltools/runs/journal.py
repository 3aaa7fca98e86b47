"""What happened to a run and when: its faults and its timeline, each a file of lines that only grows."""

import contextlib
import fcntl
import os
from collections.abc import Iterator
from pathlib import Path
from typing import Literal

import msgspec

from l0_infra.core.store import append_line, reserve_room
from l3_modeltools.runs.layout import RunLayout
from l3_modeltools.runs.lines import LineReader, decode_lines, is_cut_off
from l3_modeltools.schemas import TrainingFault

__all__ = [
    "Mark",
    "MarkWord",
    "Source",
    "append_mark",
    "read_faults",
    "read_marks",
    "report_fault",
    "reserve_journal",
    "revise_fault",
]

RESERVED_BYTES = 64 << 10
"""Of each file: some fifty faults, or four hundred marks."""

MarkWord = Literal[
    "supervised", "spawned", "ready", "saved", "validated", "paused", "went_on", "clock_set", "ended"
]
"""What happened: a supervisor began; it started the ranks; they are set up; the state after `step` is safe; a
validation was done; the run waits for something, and goes on; the clock of the node was set; the supervisor ended.
"""

Source = Literal["nothing", "checkpoint", "memory"]
"""Where ranks have their state from."""


class Mark(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """One line of `timeline.jsonl`."""

    at: float
    """In seconds since the epoch, UTC."""
    mark: MarkWord
    monotonic_s: float | None = None
    """The same by CLOCK_MONOTONIC of the node, which nobody can set; None: not told."""
    step: int | None = None
    """`ready`: the last step that is done already; `saved`, `validated`: after which step."""
    seconds: float | None = None
    """`saved`: how long the loop was held up; `validated`: how long it took; `clock_set`: by how much it was put on."""
    late_s: float | None = None
    """`clock_set`: that was so long before, at most."""
    source: Source | None = None
    """Of `ready`."""
    fault_id: int | None = None
    """`spawned`: the fault that made it necessary; `paused`, `ended`, `clock_set`: the fault that tells why."""
    exit_code: int | None = None
    """Of `ended`."""
    text: str = ""


def reserve_journal(directory: Path) -> None:
    """Keep room for what is to be told of the run in `directory` when its disk is full, where the disk can do that."""
    for file in (RunLayout(directory).faults, RunLayout(directory).timeline):
        with contextlib.suppress(OSError):
            reserve_room(file, RESERVED_BYTES)


def append_mark(directory: Path, mark: Mark) -> None:
    """Append a mark to the timeline of the run in `directory`. Raises OSError."""
    _append(RunLayout(directory).timeline, mark)


def read_marks(directory: Path) -> tuple[Mark, ...]:
    """Read the timeline of the run in `directory`, in order; lines that are no marks are passed over."""
    return tuple(decode_lines(LineReader(RunLayout(directory).timeline).read(), Mark))


def report_fault(directory: Path, fault: TrainingFault) -> TrainingFault:
    """Append a new fault of the run in `directory`, and return it with its number; several processes may.

    Raises OSError.
    """
    with _alone(directory):
        number = max((known.fault_id for known in read_faults(directory)), default=0) + 1
        numbered = msgspec.structs.replace(fault, fault_id=number)
        revise_fault(directory, numbered)
    return numbered


def revise_fault(directory: Path, fault: TrainingFault) -> None:
    """Say more of a fault that was reported before. Raises OSError."""
    _append(RunLayout(directory).faults, fault)


def read_faults(directory: Path) -> tuple[TrainingFault, ...]:
    """Read the faults of the run in `directory`, by number, each as it was told last."""
    told = decode_lines(LineReader(RunLayout(directory).faults).read(), TrainingFault)
    last = {fault.fault_id: fault for fault in told}
    return tuple(last[number] for number in sorted(last))


def _append(path: Path, told: Mark | TrainingFault) -> None:
    """Append a line; where a full disk cut the last one off, that one ends first."""
    if is_cut_off(path):
        append_line(path, "")
    append_line(path, msgspec.json.encode(told).decode())


@contextlib.contextmanager
def _alone(directory: Path) -> Iterator[None]:
    descriptor = os.open(RunLayout(directory).faults, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o644)
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX)
        yield
    finally:
        os.close(descriptor)
