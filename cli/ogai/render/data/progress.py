"""A prepare while it works: bars on a terminal, a line now and then in a pipe; on stderr both."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

import click

from l3_modeltools import Progress
from ogai.render.moment import brief
from ogai.render.table import console

if TYPE_CHECKING:
    from rich.progress import Progress as Bars
    from rich.progress import TaskID

__all__ = ["Pace", "Sparse", "describe_progress", "progress_shown"]

SPARSE_S = 10.0
"""Between two lines of one stage in a pipe."""

TITLES = {
    "read": "read",
    "deduplicate": "find repetitions",
    "tokenizer": "learn the tokenizer",
    "encode": "encode",
    "write": "write shards",
}

MEASURED = frozenset(["read", "encode"])
"""Stages that take long enough for a speed to mean something."""

Report = Callable[[Progress], None]


@contextmanager
def progress_shown() -> Iterator[Report]:
    """Yield what is to be told of each progress while it is shown."""
    if not sys.stderr.isatty():
        yield Sparse(lambda line: click.echo(line, err=True), time.monotonic)
        return
    from rich.progress import BarColumn, TaskProgressColumn, TextColumn
    from rich.progress import Progress as Bars

    columns = (
        TextColumn("{task.description:<19}"),
        BarColumn(bar_width=24),
        TaskProgressColumn("{task.percentage:>3.0f}%", "    "),
        TextColumn("{task.fields[told]}"),
    )
    with Bars(*columns, console=console(stderr=True), refresh_per_second=8) as bars:
        yield Drawn(bars, time.monotonic)


class Pace:
    """How fast the present stage is: what an earlier, interrupted call did does not count."""

    def __init__(self, clock: Callable[[], float]) -> None:
        self.clock = clock
        self.stage = ""
        self.began_at = 0.0
        self.first_bytes = 0

    def begins(self, progress: Progress) -> bool:
        """Tell whether this is the first of its stage, and remember it then."""
        if progress.stage == self.stage:
            return False
        self.stage, self.began_at, self.first_bytes = progress.stage, self.clock(), progress.done_bytes
        return True

    @property
    def elapsed_s(self) -> float:
        """How long the stage has been at it."""
        return self.clock() - self.began_at

    def bytes_per_s(self, progress: Progress) -> float:
        """Bytes of input a second, in this stage and this call; zero when that is not known yet."""
        done = progress.done_bytes - self.first_bytes
        return done / self.elapsed_s if done > 0 and self.elapsed_s > 0 else 0.0


class Sparse:
    """Writes a line when a stage begins, then one each `SPARSE_S`, and when all of its input is done."""

    def __init__(self, write: Callable[[str], None], clock: Callable[[], float]) -> None:
        self.write = write
        self.pace = Pace(clock)
        self.told_at = 0.0

    def __call__(self, progress: Progress) -> None:
        """Take note of a progress."""
        if self.pace.begins(progress):
            self.told_at = self.pace.clock()
            self.write(f"{TITLES[progress.stage]} …")
            return
        ends = progress.done_bytes == progress.total_bytes and progress.stage in MEASURED
        if ends or self.pace.clock() - self.told_at >= SPARSE_S:
            self.told_at = self.pace.clock()
            share = 100 * progress.done_bytes // max(1, progress.total_bytes)
            self.write(f"{TITLES[progress.stage]} {share}%  {describe_progress(progress, self.pace)}")


class Drawn:
    """Draws a bar for each stage; those of stages that are done stay."""

    def __init__(self, bars: Bars, clock: Callable[[], float]) -> None:
        self.bars = bars
        self.pace = Pace(clock)
        self.task: TaskID | None = None

    def __call__(self, progress: Progress) -> None:
        """Take note of a progress."""
        if self.pace.begins(progress) or self.task is None:
            if self.task is not None:
                self.bars.update(self.task, total=1, completed=1)
            total = None if progress.stage == "tokenizer" else progress.total_bytes
            self.task = self.bars.add_task(TITLES[progress.stage], total=total, told="")
        told = describe_progress(progress, self.pace)
        self.bars.update(self.task, completed=progress.done_bytes, told=told)


def describe_progress(progress: Progress, pace: Pace) -> str:
    """Say what a stage has done: documents, tokens, speed, and how long it will still take."""
    told = []
    if progress.documents:
        told.append(f"{progress.documents:,} documents")
    if progress.tokens:
        told.append(f"{progress.tokens:,} tokens")
    if progress.stage in MEASURED and (speed := pace.bytes_per_s(progress)):
        told.append(f"{speed / 1e6:.1f} MB/s")
        left = progress.total_bytes - progress.done_bytes
        told.append(f"{brief(left / speed)} left" if left else brief(pace.elapsed_s))
    return "  ".join(told)
