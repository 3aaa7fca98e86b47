"""What a chart shows, as data: lines over a common axis, bands, pins, a histogram; nothing of how it is drawn."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

__all__ = [
    "SERIES",
    "Band",
    "Chart",
    "Drawing",
    "Histogram",
    "Key",
    "Line",
    "LineChart",
    "Picture",
    "Pin",
    "Readout",
    "Span",
    "Tone",
    "series_tone",
]

Tone = Literal[
    "ink", "muted", "faint", "grid", "paper", "accent", "good", "warn", "bad",
    "series-1", "series-2", "series-3", "series-4", "series-5", "series-6", "series-7", "series-8",
]  # fmt: skip
"""A colour by its meaning; the style sheet says what it is in light and in dark."""

SERIES: tuple[Tone, ...] = (
    "series-1", "series-2", "series-3", "series-4", "series-5", "series-6", "series-7", "series-8",
)  # fmt: skip

Span = Literal["full", "half"]
"""How much of the page's width a chart has on a wide page; on a narrow one it has all."""


def series_tone(index: int) -> Tone:
    """Return the colour of the series of this number, from 0; after eight they come again."""
    return SERIES[index % len(SERIES)]


@dataclass(frozen=True, kw_only=True, slots=True)
class Line:
    """One series, by x; values that are no finite numbers leave a gap."""

    xs: Sequence[float]
    ys: Sequence[float]
    tone: Tone = "accent"
    weight: Literal["raw", "main", "points"] = "main"
    """`raw`: faint, for what is noisy; `points`: dots without a line."""
    breaks: Sequence[int] = ()
    """Which of its points begin anew, without a line from the one before; ascending."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Band:
    """A shaded range of x."""

    start: float
    end: float
    tone: Tone


@dataclass(frozen=True, kw_only=True, slots=True)
class Pin:
    """A place on x: a line through the whole chart with a short label above it, or a small tick at its foot."""

    x: float
    tone: Tone
    label: str = ""
    shape: Literal["line", "tick"] = "line"


@dataclass(frozen=True, kw_only=True, slots=True)
class Readout:
    """Numbers that are shown for the x nearest to the pointer: a row for each x, ordered, x first; None: not known."""

    names: tuple[str, ...]
    rows: Sequence[tuple[float | None, ...]]


@dataclass(frozen=True, kw_only=True, slots=True)
class LineChart:
    """Lines over a common x, laid over each other in their order; what y is, the figure's title says."""

    lines: tuple[Line, ...]
    x_label: str
    bands: tuple[Band, ...] = ()
    pins: tuple[Pin, ...] = ()
    y_from_zero: bool = False
    readout: Readout | None = None
    span: Span = "full"


@dataclass(frozen=True, kw_only=True, slots=True)
class Histogram:
    """How often values fall where."""

    values: Sequence[float]
    x_label: str
    span: Span = "half"


Chart = LineChart | Histogram


@dataclass(frozen=True, kw_only=True, slots=True)
class Key:
    """One entry of a legend."""

    name: str
    tone: Tone
    shape: Literal["line", "raw", "dot", "band", "pin", "tick"] = "line"


@dataclass(frozen=True, kw_only=True, slots=True)
class Picture:
    """A drawn chart: its SVG, and where its plot begins and ends, as shares of the width."""

    svg: str
    left: float
    right: float


@dataclass(frozen=True, kw_only=True, slots=True)
class Drawing:
    """A chart drawn for a wide and for a narrow page, and what pointing at it tells."""

    wide: Picture
    narrow: Picture
    span: Span
    x_range: tuple[float, float]
    readout: Readout | None = None
