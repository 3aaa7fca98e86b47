"""Which stretch of each axis a chart shows, whether its values are read better on a logarithm, and what ticks say."""

from collections.abc import Iterable
from dataclasses import dataclass

from ogai.render.report.figures import Chart, Histogram, LineChart

__all__ = ["LARGEST", "Scale", "choose_scale", "tick_text"]

LOG_ABOVE = 40.0
"""Values that span more than this, as a ratio, and are all above 0, are shown on a logarithm."""

FEW_POWERS = 200.0

LARGEST = 1e100
"""What is larger is no measurement, and axes that reach it overflow."""

LETTERS = ((1e12, "T"), (1e9, "B"), (1e6, "M"), (1e3, "K"))


@dataclass(frozen=True, kw_only=True, slots=True)
class Scale:
    """From where to where the axes go; `log`: y is logarithmic."""

    x: tuple[float, float]
    y: tuple[float, float]
    log: bool
    whole: bool
    """Whether x counts things, so that there is nothing between its whole numbers."""

    @property
    def log_steps(self) -> tuple[int, ...]:
        """Return which multiples of the powers of ten have ticks: more where there are few powers."""
        return (1, 2, 5) if self.y[1] / self.y[0] < FEW_POWERS else (1,)


def choose_scale(chart: Chart) -> Scale:
    """Choose so that all is seen that can be a measurement, whatever there is, with a little air above and below."""
    if isinstance(chart, Histogram):
        low, high = _padded(*_extent(chart.values))
        return Scale(x=(low, high), y=(0.0, 1.0), log=False, whole=False)
    values = [value for line in chart.lines for value in line.ys if abs(value) < LARGEST]
    low, high = _extent(values)
    log = not chart.y_from_zero and low > 1 / LARGEST and high / low > LOG_ABOVE
    whole = all(float(x).is_integer() for line in chart.lines for x in line.xs)
    return Scale(x=_x_range(chart), y=_y_range(chart, low, high, log=log), log=log, whole=whole)


def tick_text(value: float) -> str:
    """Write the number of a tick: `0`, `250`, `1.5K`, `0.002`, `3e-5`."""
    for scale, letter in LETTERS:
        if abs(value) >= scale:
            return f"{value / scale:.4g}{letter}"
    text = f"{value:.4g}"
    return text.replace("e-0", "e-") if "e" in text else text


def _x_range(chart: LineChart) -> tuple[float, float]:
    low, high = _extent([x for line in chart.lines for x in line.xs])
    return (low - 0.5, high + 0.5) if low == high else (low, high)


def _y_range(chart: LineChart, low: float, high: float, *, log: bool) -> tuple[float, float]:
    if log:
        air = (high / low) ** 0.05
        return low / air, high * air
    if chart.y_from_zero:
        return 0.0, high * 1.06 if high > 0 else 1.0
    return _padded(low, high)


def _padded(low: float, high: float) -> tuple[float, float]:
    air = 0.05 * (high - low) or 0.05 * abs(high) or 0.5
    return low - air, high + air


def _extent(values: Iterable[float]) -> tuple[float, float]:
    finite = [value for value in values if abs(value) < LARGEST]
    return (min(finite), max(finite)) if finite else (0.0, 1.0)
