"""A curve with its axes: a cloud of what was measured, a smooth line before it, points and marks."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import accumulate, groupby, pairwise
from math import log10
from typing import TYPE_CHECKING

from ogai.render.chart.canvas import Canvas
from ogai.render.chart.scale import TINY, Limits, choose_limits, choose_log_ticks, choose_ticks, write_tick
from ogai.render.glyphs import Glyphs

if TYPE_CHECKING:
    from rich.text import Text

__all__ = ["Marks", "Plot", "Points", "draw"]

STYLES = {"cloud": "blue", "line": "bold"}
SMOOTHED = 40
"""A smooth line is a mean over a fortieth of the width to either side."""

BETWEEN_LABELS = 10
LEAST_COLUMNS = 4
ROOMY = 9
"""Lines from which on marks have one of their own."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Points:
    """Values by step, ascending."""

    steps: Sequence[int]
    values: Sequence[float]


@dataclass(frozen=True, kw_only=True, slots=True)
class Marks:
    """Steps at which something happened, each drawn with one sign below the axis."""

    steps: Sequence[int]
    sign: str
    style: str


@dataclass(frozen=True, kw_only=True, slots=True)
class Plot:
    """What is drawn: a curve from step `first` to `last`, single points on it, marks below it."""

    curve: Points
    first: int
    last: int
    points: Points = Points(steps=(), values=())
    marks: Sequence[Marks] = ()
    log: bool = False
    smooth: bool = True
    labelled: bool = True
    """Whether the steps stand below the axis."""
    gutter: int = 4
    """Columns to the left of the axis, at least; longer labels take more."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Bin:
    """The values that fall into one column of dots."""

    x: int
    low: float
    high: float
    mean: float


@dataclass(frozen=True, kw_only=True, slots=True)
class Frame:
    """Where things are on the canvas."""

    plot: Plot
    canvas: Canvas
    limits: Limits
    labels: Mapping[int, str]
    """Of the ticks to the left, by row."""
    gutter: int
    overlay: dict[tuple[int, int], tuple[str, str]] = field(default_factory=dict)

    def x(self, step: int, width: int) -> int:
        """Return the place of a step among so many."""
        return (step - self.plot.first) * width // max(1, self.plot.last - self.plot.first + 1)

    def y(self, value: float) -> int:
        """Return the row of dots of a value; what is outside goes to the edge."""
        low, high = self.limits
        share = min(1.0, max(0.0, (high - value) / (high - low)))
        return round(share * (self.canvas.height - 1))


def draw(plot: Plot, *, width: int, height: int, glyphs: Glyphs) -> list[Text]:
    """Draw on `height` lines of at most `width` columns, axes included; none where there is nothing to draw."""
    from rich.text import Text

    rows = height - 1 - apart(plot, height) - plot.labelled
    if rows < 1 or width - plot.gutter - 1 < LEAST_COLUMNS or not plot.curve.values:
        return []
    plot = logarithmic(plot) if plot.log and min(plot.curve.values) > TINY else linear(plot)
    frame = measure(plot, width=width, rows=rows, glyphs=glyphs)
    if frame.canvas.columns < LEAST_COLUMNS:
        return []
    for step, value in zip(plot.points.steps, plot.points.values, strict=True):
        place = frame.y(value) // frame.canvas.down, frame.x(step, frame.canvas.columns)
        frame.overlay[place] = (glyphs.point, "bold magenta")
    return [Text.assemble(*row) for row in (*picture(frame, glyphs), *axis(frame, glyphs, height))]


def measure(plot: Plot, *, width: int, rows: int, glyphs: Glyphs) -> Frame:
    """Choose limits and labels, and paint the curve between them."""
    bins = binned(plot, max(1, width * 2))
    limits = limits_of(plot, bins)
    labels = y_labels(limits, rows, log=plot.log)
    gutter = max([plot.gutter, *map(len, labels.values())])
    canvas = Canvas(max(0, width - gutter - 1), rows, braille=glyphs.braille)
    frame = Frame(plot=plot, canvas=canvas, limits=limits, labels=labels, gutter=gutter)
    if canvas.columns:
        paint(frame, binned(plot, canvas.width))
    return frame


def limits_of(plot: Plot, bins: Sequence[Bin]) -> Limits:
    """Choose limits by the smoothed curve, its extremes and the single points."""
    means = [found.mean for found in bins]
    smooth = smoothed(means, len(bins) // SMOOTHED) if plot.smooth else means
    points = plot.points.values
    return choose_limits([found.low for found in bins], [found.high for found in bins], [*smooth, *points])


def linear(plot: Plot) -> Plot:
    return plot if not plot.log else replaced(plot, plot.curve, plot.points, log=False)


def logarithmic(plot: Plot) -> Plot:
    """Take the logarithms; points that have none are left out."""
    points = [pair for pair in zip(plot.points.steps, plot.points.values, strict=True) if pair[1] > TINY]
    return replaced(
        plot,
        Points(steps=plot.curve.steps, values=[log10(value) for value in plot.curve.values]),
        Points(steps=[step for step, _ in points], values=[log10(value) for _, value in points]),
        log=True,
    )


def replaced(plot: Plot, curve: Points, points: Points, *, log: bool) -> Plot:
    from dataclasses import replace

    return replace(plot, curve=curve, points=points, log=log)


def binned(plot: Plot, width: int) -> list[Bin]:
    """Put the curve into as many columns as there are; empty ones are left out."""
    steps, values = plot.curve.steps, plot.curve.values
    span = plot.last - plot.first + 1
    ends = [bisect_left(steps, plot.first - (-column * span // width)) for column in range(width + 1)]
    return [
        Bin(x=column, low=min(part), high=max(part), mean=sum(part) / len(part))
        for column, (begin, end) in enumerate(pairwise(ends))
        if (part := values[begin:end])
    ]


def smoothed(values: Sequence[float], reach: int) -> list[float]:
    """Return means over up to `reach` neighbours on either side, as many on both, so that the ends stay in place."""
    sums = [0.0, *accumulate(values)]
    last = len(values) - 1
    reaches = [min(reach, place, last - place) for place in range(len(values))]
    return [(sums[place + far + 1] - sums[place - far]) / (2 * far + 1) for place, far in enumerate(reaches)]


def paint(frame: Frame, bins: Sequence[Bin]) -> None:
    """Set the dots: a smooth line before the extremes of each column, or the curve alone."""
    canvas, means = frame.canvas, [found.mean for found in bins]
    for found in bins if frame.plot.smooth else ():
        canvas.dot(found.x, frame.y(found.low), "cloud")
        canvas.dot(found.x, frame.y(found.high), "cloud")
    line = smoothed(means, canvas.width // SMOOTHED) if frame.plot.smooth else means
    places = list(zip((found.x for found in bins), map(frame.y, line), strict=True))
    for (x, y), (to_x, to_y) in pairwise([*places, places[-1]]):
        canvas.line(x, y, to_x, to_y, "line")


def picture(frame: Frame, glyphs: Glyphs) -> Iterator[list[tuple[str, str]]]:
    """Yield the rows of the canvas with the labels of the axis to the left."""
    for number in range(frame.canvas.rows):
        signs = [
            frame.overlay.get((number, column), (sign, STYLES[layer] if layer else ""))
            for column, (sign, layer) in enumerate(frame.canvas.row(number))
        ]
        edge = glyphs.tick_y if number in frame.labels else glyphs.vertical
        yield [(f"{frame.labels.get(number, ''):>{frame.gutter}}{edge}", ""), *runs(signs)]


def y_labels(limits: Limits, rows: int, *, log: bool) -> Mapping[int, str]:
    """Write the ticks that fit, by row; limits that are exponents of ten get labels that are numbers."""
    low, high = limits
    most = max(1, rows // 2)
    ticks = choose_log_ticks(low, high, most) if log else choose_ticks(low, high, most)
    step = min(
        (later - earlier for earlier, later in pairwise(ticks)), default=max(map(abs, ticks), default=1.0)
    )
    return {
        round((high - (log10(tick) if log else tick)) / (high - low) * (rows - 1)): write_tick(tick, step)
        for tick in ticks
    }


def axis(frame: Frame, glyphs: Glyphs, height: int) -> Iterator[list[tuple[str, str]]]:
    """Yield the axis, the marks and the steps, as far as they are there."""
    columns, plot = frame.canvas.columns, frame.plot
    ticks = x_ticks(plot, columns) if plot.labelled else ()
    places = {frame.x(tick, columns) for tick in ticks}
    line = [(glyphs.tick_x if column in places else glyphs.horizontal, "") for column in range(columns)]
    if apart(plot, height):
        yield [(" " * frame.gutter + glyphs.corner, ""), *runs(line)]
        yield [(" " * (frame.gutter + 1), ""), *runs(marked(frame, [(" ", "")] * columns))]
    else:
        yield [(" " * frame.gutter + glyphs.corner, ""), *runs(marked(frame, line))]
    if plot.labelled:
        yield [(x_labels(frame, ticks, columns), "")]


def apart(plot: Plot, height: int) -> bool:
    """Tell whether marks have a line of their own below the axis, rather than lying on it."""
    return height >= ROOMY and any(marks.steps for marks in plot.marks)


def x_ticks(plot: Plot, columns: int) -> tuple[int, ...]:
    """Return steps at good numbers, the first where the run began."""
    if plot.last == plot.first:
        return (plot.first,)
    ticks = choose_ticks(plot.first, plot.last, max(1, columns // BETWEEN_LABELS))
    return tuple(int(tick) for tick in ticks if float(tick).is_integer())


def x_labels(frame: Frame, ticks: Sequence[int], columns: int) -> str:
    """Write the steps below their ticks; one that would run into another, or over the edge, is left out."""
    text, edge = "", frame.gutter + 1 + columns
    step = min((later - earlier for earlier, later in pairwise(ticks)), default=1)
    for tick in ticks:
        label = write_tick(tick, step)
        begin = frame.gutter + 1 + frame.x(tick, columns) - len(label) // 2
        if begin > len(text) and begin + len(label) <= edge:
            text = text.ljust(begin) + label
    return text


def marked(frame: Frame, row: list[tuple[str, str]]) -> list[tuple[str, str]]:
    """Put the signs of the marks onto a row at their steps; of several the first kind counts."""
    for marks in reversed(frame.plot.marks):
        for step in marks.steps:
            if frame.plot.first <= step <= frame.plot.last:
                row[frame.x(step, len(row))] = (marks.sign, marks.style)
    return row


def runs(signs: Sequence[tuple[str, str]]) -> Iterator[tuple[str, str]]:
    """Join neighbours of one style."""
    for style, group in groupby(signs, key=lambda sign: sign[1]):
        yield "".join(sign for sign, _ in group), style
