"""What happens on the nodes while they are brought up: a living table on a terminal, a line for each end in a pipe."""

from __future__ import annotations

import sys
import time
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import click

from l0_infra import Progress
from l0_infra.core.errors import printable
from l0_infra.core.nodeset import natural_key
from ogai.render.table import console

if TYPE_CHECKING:
    from rich.table import Table

__all__ = ["showing"]

PAINTS_PER_S = 4
MOST_ROWS = 40
STYLES = {"done": "green", "failed": "bold red", "held": "yellow", "waiting": "dim", "begun": "cyan"}


@dataclass(slots=True)
class _Lane:
    total: int
    done: int = 0
    changed: int = 0
    state: str = "waiting"
    name: str = ""
    task: str = ""
    message: str = ""
    since: float = field(default_factory=time.monotonic)


class _Board:
    """What each node is at."""

    def __init__(self, totals: Mapping[str, int]) -> None:
        self.lanes = {node: _Lane(total=total) for node, total in totals.items()}
        self.began = time.monotonic()

    def take(self, progress: Progress) -> None:
        lane = self.lanes.get(progress.node)
        if lane is None:
            return
        if progress.state == "task":
            lane.task = progress.task.partition(" : ")[2] or progress.task
        elif progress.state == "done":
            lane.done, lane.changed = lane.done + 1, lane.changed + progress.changed
            lane.state = "done" if lane.done == lane.total else "waiting"
            lane.task = ""
        elif lane.state != "failed":
            lane.state, lane.name, lane.message = progress.state, progress.name, progress.message
            lane.since = time.monotonic()

    def table(self, most: int) -> Table:
        from rich.table import Table
        from rich.text import Text

        table = Table(box=None, pad_edge=False, padding=(0, 2, 0, 0), header_style="bold")
        for title in ("NODE", "STEPS", "CHANGED", "AT", ""):
            table.add_column(title, no_wrap=True)
        shown = sorted(self.lanes, key=lambda node: (self.lanes[node].state == "done", natural_key(node)))[
            :most
        ]
        for node in shown:
            lane = self.lanes[node]
            cells = (node, f"{lane.done}/{lane.total}", str(lane.changed), *self.words(lane))
            table.add_row(*(Text(printable(cell), style=STYLES.get(lane.state, "")) for cell in cells))
        counts = Counter(lane.state for lane in self.lanes.values())
        told = ", ".join(f"{count} {state}" for state, count in counts.items())
        table.caption = f"{told}; {time.monotonic() - self.began:.0f} s"
        table.caption_justify = "left"
        return table

    def words(self, lane: _Lane) -> tuple[str, str]:
        if lane.state == "begun":
            return lane.name, f"{lane.task} {time.monotonic() - lane.since:.0f} s".strip()
        if lane.state in ("failed", "held"):
            return f"{lane.name} {lane.state}", lane.message.partition("\n")[0]
        return ("ready" if lane.state == "done" else "waits"), ""


@contextmanager
def showing(totals: Mapping[str, int]) -> Iterator[Callable[[Progress], None]]:
    """Show progress on stderr; `totals` are the steps to do by node."""
    if not totals:
        yield lambda progress: None
    elif sys.stderr.isatty():
        with _living(totals) as take:
            yield take
    else:
        yield _tell


@contextmanager
def _living(totals: Mapping[str, int]) -> Iterator[Callable[[Progress], None]]:
    from rich.live import Live

    board, terminal = _Board(totals), console(stderr=True)
    with Live(
        get_renderable=lambda: board.table(min(MOST_ROWS, max(3, terminal.height - 4))),
        console=terminal,
        refresh_per_second=PAINTS_PER_S,
        transient=True,
    ):
        yield board.take


def _tell(progress: Progress) -> None:
    if progress.state == "done":
        changed = f", {progress.changed} changed" if progress.changed else ""
        line = f"{progress.node} {progress.name}: done in {progress.seconds:.1f} s{changed}"
    elif progress.state == "failed":
        first = progress.message.strip().partition("\n")[0]
        line = f"{progress.node} {progress.name}: failed{f' at {progress.task}' if progress.task else ''}: {first}"
    else:
        return
    click.echo(printable(line), err=True)
