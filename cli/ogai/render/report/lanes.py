"""Lanes below each other over one scale: who does what when, or what a whole is made of; a page can zoom into them."""

import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import groupby
from math import floor, log10
from typing import ClassVar

from ogai.render.report.figures import Key, Tone

__all__ = ["Lane", "LaneRun", "Lanes", "lane_data", "lane_paths", "lane_ticks"]

WIDTH = 100_000
"""Units of a lane's drawing from its begin to its end; whole numbers keep a page of ten thousand runs small."""

TICKS = 8


@dataclass(frozen=True, slots=True)
class LaneRun:
    """From where to where on the scale something goes on; `title` says what to who points at it."""

    start: float
    end: float
    tone: Tone
    title: str
    pale: bool = False
    """Whether it is paler, so that it can be told from one of the same colour beside it."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Lane:
    """One lane: its name, runs in their order, none over another, and what else is known of it."""

    name: str
    runs: tuple[LaneRun, ...]
    note: str = ""
    said: str = ""
    """What is read to who cannot see it."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Lanes:
    """Lanes over one scale from 0 to `extent`, in `unit`; between runs is nothing."""

    kind: ClassVar[str] = "lanes"
    title: str
    lanes: tuple[Lane, ...]
    extent: float
    unit: str
    mark: float | None = None
    """A place on the scale with a line through all lanes, such as how much there may be."""
    between: str = ""
    """What is read where no run is."""
    zoom: bool = False
    legend: tuple[Key, ...] = ()
    caption: str = ""


@dataclass(frozen=True, slots=True)
class Path:
    """All runs of a lane with one colour, as a path of SVG."""

    tone: Tone
    pale: bool
    d: str


def lane_paths(lane: Lane, extent: float) -> Iterator[Path]:
    """Draw a lane in a box of `WIDTH` by 1, a path for each colour."""

    def look(run: LaneRun) -> tuple[Tone, bool]:
        return run.tone, run.pale

    for (tone, pale), runs in groupby(sorted(lane.runs, key=look), key=look):
        places = ((_at(run.start, extent), _at(run.end, extent)) for run in runs)
        yield Path(tone, pale, "".join(f"M{start} 0h{end - start}v1h{start - end}z" for start, end in places))


def lane_ticks(extent: float) -> tuple[tuple[float, str], ...]:
    """Round numbers on the scale, each with its place as a share of it."""
    if extent <= 0:
        return ()
    rough = extent / TICKS
    power = 10.0 ** floor(log10(rough))
    step = next(power * digit for digit in (1, 2, 5, 10) if power * digit >= rough)
    digits = max(0, -floor(log10(step) + 1e-9))
    return tuple(
        (number * step / extent, f"{number * step:,.{digits}f}") for number in range(int(extent / step) + 1)
    )


def lane_data(block: Lanes) -> str:
    """Write the runs for the script that tells of them: of each lane starts, lengths and which title, in turn."""
    titles: dict[str, int] = {}
    lanes = [_numbers(lane.runs, block.extent, titles) for lane in block.lanes]
    data = {
        "width": WIDTH,
        "extent": block.extent,
        "unit": block.unit,
        "titles": [*titles],
        "lanes": lanes,
    }
    return json.dumps(data, separators=(",", ":"))


def _numbers(runs: Sequence[LaneRun], extent: float, titles: dict[str, int]) -> list[int]:
    numbers = []
    for run in runs:
        start, end = _at(run.start, extent), _at(run.end, extent)
        numbers += [start, end - start, titles.setdefault(run.title, len(titles))]
    return numbers


def _at(value: float, extent: float) -> int:
    return round(value / extent * WIDTH) if extent else 0
