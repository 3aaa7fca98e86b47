"""What a run told of its newest steps, read back when it goes on."""

import os
from collections.abc import Iterator
from pathlib import Path

import msgspec

from l3_modeltools.runs import RunLayout
from l3_modeltools.training.metrics import StepMetrics

__all__ = ["recent_steps"]

TAIL_BYTES = 2**18
"""Read from the end of the file: some hundred steps, also where they came several times."""


def recent_steps(directory: Path, *, until: int, count: int = 64) -> tuple[StepMetrics, ...]:
    """Return what was told last of each of the `count` steps up to `until`, as far as it is there, by step."""
    told = {metrics.step: metrics for metrics in _tail(RunLayout(directory).metrics)}
    return tuple(told[step] for step in range(until - count + 1, until + 1) if step in told)


def _tail(path: Path) -> Iterator[StepMetrics]:
    try:
        with path.open("rb") as file:
            file.seek(max(0, file.seek(0, os.SEEK_END) - TAIL_BYTES))
            lines = file.read().split(b"\n")
    except FileNotFoundError:
        return
    for line in lines:
        try:
            yield msgspec.json.decode(line, type=StepMetrics)
        except msgspec.MsgspecError:  # cut off by a kill, or by the window
            continue
