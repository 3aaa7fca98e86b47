"""A pipeline's step drawn to scale: a line for each rank, a column for so much time."""

from bisect import bisect_right
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from l3_modeltools import Event, Timeline

if TYPE_CHECKING:
    from rich.text import Text

__all__ = ["Window", "draw_ranks", "kinds_legend", "turn_at", "windows_of"]

COLOURS = {"F": "blue", "B": "green", "W": "yellow"}
NAMES = {"F": "forward", "B": "backward", "W": "gradients of weights"}
LABEL, VALUE = 9, 12
FINEST = 2.0
"""Columns that the shortest turn should have; where the step has no room for that, its begin and end are shown."""

MOST = 16
"""Ranks that are drawn; of more, the first and the last."""


@dataclass(frozen=True, slots=True)
class Window:
    """A part of the step, in seconds."""

    start: float
    end: float


def windows_of(timeline: Timeline, columns: int) -> tuple[Window, ...]:
    """The whole step where its turns can be told apart in so many columns, else as much of its begin and its end."""
    turns = [event.end - event.start for events in timeline.ranks for event in events]
    shortest = min((seconds for seconds in turns if seconds > 0), default=timeline.length)
    shown = shortest / FINEST * columns
    if shown >= timeline.length:
        return (Window(0.0, timeline.length),)
    half = shortest / FINEST * ((columns - 3) // 2)
    return Window(0.0, half), Window(timeline.length - half, timeline.length)


def draw_ranks(timeline: Timeline, width: int, *, coloured: bool) -> Iterator["Text"]:
    """Yield a line for each rank: its turns, and what share of the step it waits."""
    from rich.text import Text

    room = max(20, width - LABEL - VALUE)
    windows = windows_of(timeline, room)
    ranks = len(timeline.ranks)
    shown = range(ranks) if ranks <= MOST else (*range(MOST // 2), *range(ranks - MOST // 2, ranks))
    before = -1
    for rank in shown:
        if rank != before + 1:
            yield Text(f"{'':<{LABEL}}…", style="dim")
        before, line = rank, Text(f"{f'rank {rank}':<{LABEL}}")
        for number, window in enumerate(windows):
            if number:
                line.append(" … ", style="dim")
            columns = room if len(windows) == 1 else (room - 3) // 2
            for kind in _cells(timeline.ranks[rank], window, columns):
                line.append(_glyph(kind, coloured), style=COLOURS.get(kind[:1], "dim") if coloured else "")
        yield line.append(f"{timeline.idle(rank):>5.1%} idle"[-VALUE + 1 :].rjust(VALUE))


def kinds_legend(timeline: Timeline, *, coloured: bool) -> "Text":
    """Say which colour, or letter, is what."""
    from rich.text import Text

    there = {event.kind for events in timeline.ranks for event in events}
    legend = Text(" " * LABEL)
    for kind, name in NAMES.items():
        if kind in there:
            legend.append("█ " if coloured else f"{kind} ", style=COLOURS[kind] if coloured else "")
            legend.append(f"{name} ")
    legend.append("░ " if coloured else ". ", style="dim" if coloured else "")
    return legend.append("waits")


def turn_at(events: Sequence[Event], at: float) -> Event | None:
    """The turn that is under way at a moment; None while the rank waits."""
    number = bisect_right(events, at, key=lambda event: event.start) - 1
    return events[number] if number >= 0 and at < events[number].end else None


def _cells(events: Sequence[Event], window: Window, columns: int) -> Iterator[str]:
    """What a rank does in the middle of each column: a kind, or nothing."""
    each = (window.end - window.start) / columns
    for column in range(columns):
        turn = turn_at(events, window.start + (column + 0.5) * each)
        yield "" if turn is None else f"{turn.kind}{turn.batch % 2}"


def _glyph(cell: str, coloured: bool) -> str:
    """Neighbouring micro batches look a little different, so that one can be told from the next."""
    if not cell:
        return "░" if coloured else "."
    if coloured:
        return "█" if cell[1] == "0" else "▓"
    return cell[0] if cell[1] == "0" else cell[0].lower()
