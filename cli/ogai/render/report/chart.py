"""Draws charts as SVG; the one module that knows matplotlib, which is loaded when the first chart is drawn."""

from __future__ import annotations

import math
from bisect import bisect_right
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from io import StringIO
from itertools import groupby
from typing import TYPE_CHECKING

from ogai.render.report.crowd import columned, merged
from ogai.render.report.figures import Chart, Drawing, Line, LineChart, Picture, Pin, Readout, Span
from ogai.render.report.scale import LARGEST, Scale, choose_scale, tick_text
from ogai.render.report.svg import PALETTE, embed
from ogai.render.report.thin import thin

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

__all__ = ["draw"]


@dataclass(frozen=True, slots=True)
class Size:
    """A picture's size in CSS pixels, and roughly how many ticks fit on each axis."""

    width: int
    height: int
    x_ticks: int
    y_ticks: int = 5


WIDE: Mapping[Span, Size] = {"full": Size(960, 330, 10), "half": Size(464, 220, 5, 4)}
NARROW: Mapping[Span, Size] = {"full": Size(360, 270, 5), "half": Size(360, 200, 5, 4)}

LEFT, RIGHT, TOP, BOTTOM = 46, 10, 10, 42
"""Room around the plot, in CSS pixels."""

LABELS_PX = 12
"""More room above it where pins have labels."""

TEXT_PX = 11.5
PIN_LABEL_ROOM_PX = 14
PIN_ROOM_PX = 8
"""With less room than this for each, lines through the whole chart hide what it shows."""

CROWDED_FROM = 0.95
"""Where lines begin then, as a share of the plot's height."""

READOUT_COLUMNS = 600
BINS = 30
NICE = [1, 2, 2.5, 5, 10]
"""What ticks are multiples of."""


def draw(chart: Chart, *, key: str, label: str) -> Drawing:
    """Draw a chart at a wide and a narrow size; the same chart and key give the same bytes.

    `key` is a word that no other chart of the page has, `label` says what is seen. Raises ModuleNotFoundError
    where matplotlib is not installed.
    """
    scale = choose_scale(chart)
    wide, narrow = (
        _picture(chart, scale, sizes[chart.span], f"{key}-{name}", label)
        for name, sizes in (("w", WIDE), ("n", NARROW))
    )
    readout = _thinned(chart.readout) if isinstance(chart, LineChart) and chart.readout else None
    return Drawing(wide=wide, narrow=narrow, span=chart.span, x_range=scale.x, readout=readout)


def _picture(chart: Chart, scale: Scale, size: Size, key: str, label: str) -> Picture:
    import matplotlib
    from matplotlib.figure import Figure

    with matplotlib.rc_context(
        {
            "svg.fonttype": "none",
            "svg.hashsalt": key,
            "text.parse_math": False,
            "path.simplify": False,
            "font.family": ["DejaVu Sans"],
        }
    ):
        figure = Figure(figsize=(size.width / 72, size.height / 72), dpi=72, facecolor="none")
        axes = _axes(figure, chart, scale, size)
        if isinstance(chart, LineChart):
            _draw_lines(axes, chart, scale, size)
        else:
            _draw_bins(axes, chart.values)
        out = StringIO()
        figure.savefig(out, format="svg", metadata={"Date": None, "Creator": None}, transparent=True)
    return Picture(
        svg=embed(out.getvalue(), key=key, label=label),
        left=round(LEFT / size.width, 5),
        right=round(1 - RIGHT / size.width, 5),
    )


def _axes(figure: Figure, chart: Chart, scale: Scale, size: Size) -> Axes:
    """Return axes of fixed margins: no frame, faint horizontal lines."""
    width, height, top = size.width, size.height, _top(chart)
    axes = figure.add_axes(
        (LEFT / width, BOTTOM / height, (width - LEFT - RIGHT) / width, (height - top - BOTTOM) / height)
    )
    axes.set_facecolor("none")
    for side in ("left", "right", "top"):
        axes.spines[side].set_visible(False)
    axes.spines["bottom"].set_color(PALETTE["faint"])
    axes.set_xlim(*scale.x)
    if isinstance(chart, LineChart):
        axes.set_yscale("log" if scale.log else "linear")
        axes.set_ylim(*scale.y)
    axes.tick_params(length=0, labelsize=TEXT_PX, labelcolor=PALETTE["muted"], pad=6)
    axes.grid(axis="y", color=PALETTE["grid"], linewidth=1)
    axes.set_axisbelow(True)
    axes.set_xlabel(chart.x_label, fontsize=TEXT_PX, color=PALETTE["muted"], labelpad=6)
    _set_ticks(axes, scale, size)
    return axes


def _top(chart: Chart) -> int:
    labelled = isinstance(chart, LineChart) and any(pin.label for pin in chart.pins)
    return TOP + LABELS_PX if labelled else TOP


def _set_ticks(axes: Axes, scale: Scale, size: Size) -> None:
    from matplotlib.ticker import FuncFormatter, LogLocator, MaxNLocator, NullLocator

    axes.xaxis.set_major_locator(MaxNLocator(size.x_ticks, steps=NICE, integer=scale.whole))
    axes.yaxis.set_major_locator(
        LogLocator(subs=scale.log_steps, numticks=12) if scale.log else MaxNLocator(size.y_ticks, steps=NICE)
    )
    for axis in (axes.xaxis, axes.yaxis):
        axis.set_minor_locator(NullLocator())
        axis.set_major_formatter(FuncFormatter(lambda value, _: tick_text(value)))


def _draw_lines(axes: Axes, chart: LineChart, scale: Scale, size: Size) -> None:
    plot_px = size.width - LEFT - RIGHT
    pixel = (scale.x[1] - scale.x[0]) / plot_px
    for band in merged(chart.bands, pixel):
        colour = PALETTE[band.tone]
        axes.axvspan(band.start, band.end, facecolor=colour, alpha=0.14, linewidth=0, zorder=0.5)
    for line in chart.lines:
        _draw_line(axes, line, plot_px)
    _draw_gaps(axes, chart.lines)
    _draw_pins(axes, chart.pins, pixel, plot_px)


def _draw_line(axes: Axes, line: Line, columns: int) -> None:
    kept = thin(line.xs, line.ys, columns)
    xs, ys = _interrupted(line, kept)
    colour = PALETTE[line.tone]
    if line.weight == "points":
        edge = PALETTE["paper"]
        axes.plot(
            xs,
            ys,
            "o",
            color=colour,
            markersize=6.5,
            markeredgecolor=edge,
            markeredgewidth=1.3,
            zorder=4,
            clip_on=False,
        )
        return
    raw = line.weight == "raw"
    single = sum(math.isfinite(line.ys[index]) for index in kept) == 1
    axes.plot(
        xs,
        ys,
        color=colour,
        linewidth=1 if raw else 1.9,
        alpha=0.4 if raw else 1,
        marker="o" if single else "",
        markersize=4.5,
        solid_joinstyle="round",
        solid_capstyle="round",
        zorder=2 if raw else 3,
    )


def _interrupted(line: Line, kept: Sequence[int]) -> tuple[list[float], list[float]]:
    """Return the points that are drawn, a gap at each break; one that stands alone twice, so that it is a dot."""
    xs: list[float] = []
    ys: list[float] = []
    for _, stretch in groupby(kept, key=lambda index: bisect_right(line.breaks, index)):
        points = [(line.xs[index], line.ys[index]) for index in stretch]
        points = points * 2 if len(points) == 1 and line.breaks else points
        xs += [math.nan] * bool(xs) + [x for x, _ in points]
        ys += [math.nan] * bool(ys) + [y if math.isfinite(y) else math.nan for _, y in points]
    return xs, ys


def _draw_gaps(axes: Axes, lines: Iterable[Line]) -> None:
    """Mark at the upper edge where a value is no finite number."""
    width = axes.bbox.width
    for line in lines:
        broken = [x for x, y in zip(line.xs, line.ys, strict=True) if not math.isfinite(y)]
        xs = [broken[index] for index in thin(broken, [0.0] * len(broken), int(width))]
        if xs and line.weight != "points":
            axes.plot(
                xs,
                [1.0] * len(xs),
                "x",
                color=PALETTE["bad"],
                markersize=5.5,
                markeredgewidth=1.4,
                transform=axes.get_xaxis_transform(),
                clip_on=False,
                zorder=5,
            )


def _draw_pins(axes: Axes, pins: Sequence[Pin], pixel: float, plot_px: int) -> None:
    """Draw lines through the whole chart; so many that they would hide it are short ones at its upper edge.

    What is bad is drawn last, so that nothing hides it.
    """
    feet, by_style = axes.get_xaxis_transform(), columned(pins, pixel)
    crowd = sum(len(xs) for (_, shape), xs in by_style.items() if shape == "line")
    is_crowded = crowd * PIN_ROOM_PX > plot_px
    for (tone, shape), xs in sorted(by_style.items(), key=lambda found: found[0][0] == "bad"):
        colour = PALETTE[tone]
        if shape == "tick":
            bottom = [0.0] * len(xs)
            axes.plot(xs, bottom, "^", color=colour, markersize=6, transform=feet, clip_on=False, zorder=5)
        else:
            lines = [(x, y) for x in xs for y in (CROWDED_FROM if is_crowded else 0.0, 1.0, math.nan)]
            axes.plot(*zip(*lines, strict=True), color=colour, linewidth=1.1, transform=feet, zorder=1.5)
    for pin in () if is_crowded else _labelled(pins, PIN_LABEL_ROOM_PX * pixel):
        axes.text(
            pin.x,
            1.02,
            pin.label,
            color=PALETTE[pin.tone],
            fontsize=TEXT_PX,
            fontweight="bold",
            ha="center",
            va="bottom",
            transform=feet,
        )


def _labelled(pins: Iterable[Pin], room: float) -> Iterable[Pin]:
    """Yield the pins whose labels do not touch the one before."""
    last = -math.inf
    for pin in sorted((pin for pin in pins if pin.label), key=lambda pin: pin.x):
        if pin.x - last >= room:
            last = pin.x
            yield pin


def _draw_bins(axes: Axes, values: Sequence[float]) -> None:
    import numpy

    axes.hist(
        numpy.array([value for value in values if abs(value) < LARGEST]),
        bins=min(BINS, max(1, len(values) // 3)),
        color=PALETTE["accent"],
        alpha=0.75,
        rwidth=0.9,
    )


def _thinned(readout: Readout) -> Readout:
    xs = [row[0] or 0.0 for row in readout.rows]
    ys = [math.nan if row[1] is None else row[1] for row in readout.rows]
    return Readout(names=readout.names, rows=[readout.rows[index] for index in thin(xs, ys, READOUT_COLUMNS)])
