"""When a run was started and started again, and when these attempts ended, as the event files of its jobs tell."""

import json
from collections.abc import Iterator, Sequence
from pathlib import Path

from l3_modeltools.runs.lines import LineReader

__all__ = ["read_ends", "read_starts"]


def read_starts(event_files: Sequence[Path]) -> tuple[float, ...]:
    """Return the times of all starts in the event files of a run's jobs, in seconds since the epoch, in order."""
    return _times(event_files, "started")


def read_ends(event_files: Sequence[Path]) -> tuple[float, ...]:
    """Return the times at which attempts of a run's jobs ended, in seconds since the epoch, in order."""
    return _times(event_files, "ended")


def _times(event_files: Sequence[Path], word: str) -> tuple[float, ...]:
    return tuple(
        sorted(at for path in event_files for line in LineReader(path).read() for at in _time_of(line, word))
    )


def _time_of(line: bytes, word: str) -> Iterator[float]:
    try:
        event = json.loads(line)
    except (ValueError, RecursionError):  # a line of the user's program, cut off or no JSON
        return
    if isinstance(event, dict) and event.get("event") == word:
        at = event.get("at")
        if isinstance(at, int | float) and not isinstance(at, bool):
            yield float(at)
