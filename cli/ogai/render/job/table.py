"""`ogai job list`: one line per job or array, fitted to the terminal, quick with ten thousand jobs."""

import os
import shutil
import sys
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import groupby

import click

from l0_infra.core.units import format_bytes
from l2_scheduler.schemas import ACTIVE_STATES, FINAL_STATES, JobStatus
from ogai.render.job.fold import fold_ids
from ogai.render.job.words import describe_note, run_or_wait_s
from ogai.render.moment import stopwatch

__all__ = ["Row", "lay_out", "print_jobs", "rows_of"]

TITLES = ("ID", "NAME", "STATE", "TIME", "CPUS", "MEM", "GPUS", "NOTE")
STATE = TITLES.index("STATE")
RIGHT = frozenset({"TIME", "CPUS", "MEM", "GPUS"})
LEAST = {"NOTE": 14, "NAME": 8, "ID": 6}
"""Columns that give way when the terminal is narrow, in this order, and what is left of them."""

DROPPED = ("GPUS", "MEM", "CPUS", "TIME")
"""Columns that are left out when even that is too wide."""

COLOURS = {"RUNNING": "green", "CONFIGURING": "green", "COMPLETING": "green", "PENDING": "yellow"}
BAD = FINAL_STATES - {"COMPLETED", "CANCELLED"}
GAP = "  "


@dataclass(frozen=True, slots=True)
class Row:
    """One line: the state that colours it, and the texts in the order of `TITLES`."""

    state: str
    cells: tuple[str, ...]


def print_jobs(statuses: Sequence[JobStatus], opened: frozenset[str], now: float, *, expand: bool) -> None:
    """Print the jobs on stdout; in a pipe the lines are whole."""
    width = shutil.get_terminal_size().columns if sys.stdout.isatty() else None
    click.echo("\n".join(lay_out(list(rows_of(statuses, opened, now, expand=expand)), width)))


def rows_of(
    statuses: Iterable[JobStatus], opened: frozenset[str], now: float, *, expand: bool
) -> Iterator[Row]:
    """Make the lines; the elements of an array share one unless `expand`."""
    for _, group in groupby(statuses, key=lambda status: status.submission):
        elements = list(group)
        if expand or len(elements) == 1:
            yield from (row_of([status], describe_note(status, opened, now), now) for status in elements)
        else:
            yield row_of(elements, describe_counts(elements), now)


def row_of(elements: Sequence[JobStatus], note: str, now: float) -> Row:
    """Make the line of a job, or of an array: its time is that of the element seen longest in its state."""
    state = leading_state(elements)
    job = elements[0].job
    resources = job.resources
    memory = resources.memory_bytes_per_node
    time_s = max(run_or_wait_s(status, now) for status in elements if status.state == state)
    return Row(
        state=state,
        cells=(
            fold_ids(elements),
            job.name,
            state,
            stopwatch(time_s),
            str(resources.cpus_per_task * resources.tasks_per_node),
            format_bytes(memory).replace(" ", "") if memory is not None else "-",
            str(resources.gpus_per_node) if resources.gpus_per_node else "-",
            note,
        ),
    )


def leading_state(elements: Sequence[JobStatus]) -> str:
    """Choose the state that says most about an array: running, else waiting, else the worst end."""
    states = {status.state for status in elements}
    ranked = ("RUNNING", "COMPLETING", "CONFIGURING", "PENDING", *sorted(BAD), "CANCELLED", "COMPLETED")
    return next(state for state in ranked if state in states)


def describe_counts(elements: Iterable[JobStatus]) -> str:
    """Write `40 done, 2 running, 58 waiting`, with each kind of bad end by its name."""
    counts = Counter(counted(status) for status in elements)
    bad = sorted(counts.keys() - {"done", "running", "waiting", "held"})
    order = ("done", "running", "waiting", "held", *bad)
    return ", ".join(f"{counts[word]} {word}" for word in order if counts[word])


def counted(status: JobStatus) -> str:
    if status.state == "COMPLETED":
        return "done"
    if status.state in ACTIVE_STATES:
        return "running"
    if status.state in FINAL_STATES:
        return status.state.lower().replace("_", " ")
    return "held" if status.held else "waiting"


def lay_out(rows: Sequence[Row], width: int | None) -> list[str]:
    """Align the lines under their titles, within `width` cells if given."""
    shown = [
        i
        for i, title in enumerate(TITLES)
        if title not in ("MEM", "GPUS") or any(r.cells[i] != "-" for r in rows)
    ]
    lines = [TITLES, *(row.cells for row in rows)]
    widths = fitted({i: max(cells_of(line[i]) for line in lines) for i in shown}, width)
    head = line_of(TITLES, widths).rstrip()
    return [bold(head), *(coloured(row, line_of(row.cells, widths).rstrip(), widths) for row in rows)]


def fitted(widths: dict[int, int], width: int | None) -> dict[int, int]:
    """Take what is too much from the columns that give way, then leave out those that matter least."""
    fitting = dict(widths)
    for title, least in LEAST.items():
        column = TITLES.index(title)
        fitting[column] = max(min(least, fitting[column]), fitting[column] - surplus(fitting, width))
    for title in DROPPED:
        if surplus(fitting, width):
            fitting.pop(TITLES.index(title), None)
    return fitting


def surplus(widths: dict[int, int], width: int | None) -> int:
    """Say by how much the columns are too wide together."""
    if width is None:
        return 0
    return max(0, sum(widths.values()) + len(GAP) * (len(widths) - 1) - width)


def line_of(cells: Sequence[str], widths: dict[int, int]) -> str:
    return GAP.join(cell_of(cells[i], TITLES[i], width) for i, width in widths.items())


def cell_of(text: str, title: str, width: int) -> str:
    """Pad or cut one text to its column."""
    length = cells_of(text)
    if length > width:
        return cut(text, width - 1) + "…"
    pad = " " * (width - length)
    return pad + text if title in RIGHT else text + pad


def cells_of(text: str) -> int:
    """Count the terminal cells of a text; a wide character takes two."""
    if text.isascii():
        return len(text)
    from rich.cells import cell_len

    return cell_len(text)


def cut(text: str, width: int) -> str:
    """Cut or pad a text to so many cells."""
    if text.isascii():
        return text[:width]
    from rich.cells import set_cell_size

    return set_cell_size(text, width)


def coloured(row: Row, line: str, widths: dict[int, int]) -> str:
    """Colour the state within its line."""
    colour = "red" if row.state in BAD else COLOURS.get(row.state)
    if colour is None or os.environ.get("NO_COLOR"):
        return line
    start = sum(width + len(GAP) for column, width in widths.items() if column < STATE)
    end = start + len(row.state)
    return line[:start] + click.style(line[start:end], fg=colour) + line[end:]


def bold(text: str) -> str:
    return text if os.environ.get("NO_COLOR") else click.style(text, bold=True)
