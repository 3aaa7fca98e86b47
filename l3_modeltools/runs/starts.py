"""When a run was started and started again, as the event files of its jobs tell."""

import json
from collections.abc import Iterator, Sequence
from pathlib import Path

from l3_modeltools.runs.lines import LineReader

__all__ = ["read_starts"]


def read_starts(event_files: Sequence[Path]) -> tuple[float, ...]:
    """Return the times of all starts in the event files of a run's jobs, in seconds since the epoch, in order."""
    return tuple(
        sorted(at for path in event_files for line in LineReader(path).read() for at in _start(line))
    )


def _start(line: bytes) -> Iterator[float]:
    try:
        event = json.loads(line)
    except (ValueError, RecursionError):  # a line of the user's program, cut off or no JSON
        return
    if isinstance(event, dict) and event.get("event") == "started":
        at = event.get("at")
        if isinstance(at, int | float) and not isinstance(at, bool):
            yield float(at)
