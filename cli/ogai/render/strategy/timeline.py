"""A pipeline's step drawn to scale: a line for each rank, a column for so much time."""

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from l3_modeltools import Timeline
from ogai.render.strategy.columns import IDLE, Cell, View, cells_of, view_of
from ogai.render.strategy.words import step

if TYPE_CHECKING:
    from rich.text import Text

__all__ = ["NAMES", "draw_timeline", "shown_ranks"]

COLOURS = {"F": ("blue", "bright_blue"), "B": ("green", "bright_green"), "W": ("yellow", "bright_yellow")}
"""Of even micro batches and of odd ones, so that one can be told from the next."""

NAMES = {"F": "forward", "B": "backward", "W": "gradients of weights"}
LABEL, VALUE = 9, 12

MOST = 16
"""Ranks that are drawn; of more, the first and the last."""


def draw_timeline(timeline: Timeline, width: int, *, coloured: bool) -> Iterator["Text"]:
    """Yield a line for each rank, with the share of the step that it waits; then the scale, and what is what."""
    from rich.text import Text

    view = view_of(timeline, max(20, width - LABEL - VALUE))
    yield from _ranks(timeline, view, coloured=coloured)
    yield _scale(timeline, view)
    yield _legend(timeline, coloured=coloured)
    if view.coarse and not coloured:
        yield Text(f"{'':<{LABEL}}x two of these by turns  f b w waits in part")


def shown_ranks(ranks: int, most: int = MOST) -> Sequence[int]:
    """All ranks, or the first and the last ones where there are too many."""
    return range(ranks) if ranks <= most else (*range(most // 2), *range(ranks - most // 2, ranks))


def _ranks(timeline: Timeline, view: View, *, coloured: bool) -> Iterator["Text"]:
    from rich.text import Text

    before = -1
    for rank in shown_ranks(len(timeline.ranks)):
        if rank != before + 1:
            yield Text(f"{'':<{LABEL}}{rank - before - 1} more", style="dim")
        before, line = rank, Text(f"{f'rank {rank}':<{LABEL}}")
        for number, window in enumerate(view.windows):
            if number:
                line.append(" … " if coloured else " ~ ", style="dim")
            for cell in cells_of(timeline.ranks[rank], window, view.columns, coarse=view.coarse):
                line.append(*(_painted(cell) if coloured else (_letter(cell, view), "")))
        yield line.append(f"{timeline.idle(rank):.1%} idle".rjust(VALUE))


def _scale(timeline: Timeline, view: View) -> "Text":
    from rich.text import Text

    room = view.columns * len(view.windows) + (3 if len(view.windows) > 1 else 0)
    return Text(f"{'':<{LABEL}}0{step(timeline.length):>{room - 1}}", style="dim")


def _legend(timeline: Timeline, *, coloured: bool) -> "Text":
    """Say which colour, or letter, is what."""
    from rich.text import Text

    there = {event.kind for events in timeline.ranks for event in events}
    legend = Text(" " * LABEL)
    for kind, name in NAMES.items():
        if kind in there:
            legend.append("█ " if coloured else f"{kind} ", style=COLOURS[kind][0] if coloured else "")
            legend.append(f"{name}  ")
    legend.append("░ " if coloured else ". ", style="dim" if coloured else "").append("waits")
    return legend


def _painted(cell: Cell) -> tuple[str, str]:
    """A half block whose two halves have colours of their own; nothing done is a shade."""
    left, right = _colour(cell.left, cell.left_odd), _colour(cell.right, cell.right_odd)
    if left == right:
        return ("█", left) if left else ("░", "dim")
    if not left:
        return "▐", right
    return "▌", f"{left} on {right}" if right else left


def _colour(kind: str, odd: bool) -> str:
    return COLOURS[kind][odd] if kind else ""


def _letter(cell: Cell, view: View) -> str:
    """The letter of what is done, small for odd micro batches; of several turns, small where a part is idle."""
    left, right = cell.left, cell.right
    if not view.coarse:
        kind, odd = (left, cell.left_odd) if left else (right, cell.right_odd)
        return (kind.lower() if odd else kind) or "."
    if left == right or IDLE in (left, right):
        kind = left or right
        return (kind if left == right else kind.lower()) or "."
    return "x"
