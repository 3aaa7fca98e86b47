"""The curves of one run: loss, learning rate, gradient norm over its steps, speed over its time."""

import math
from bisect import bisect_right
from collections.abc import Callable, Iterator, Sequence
from itertools import pairwise
from statistics import median

from l3_modeltools import Metric
from ogai.flows.train.report import RunReport
from ogai.render.report import (
    Figure,
    Histogram,
    Key,
    Line,
    LineChart,
    Pair,
    Pin,
    Readout,
    Tone,
    draw,
    smooth,
)
from ogai.render.train.report.events import Events
from ogai.render.train.words import number

__all__ = ["find_begins", "loss_figure", "optimizer_pair", "smoothed", "speed_pair", "window_of"]

SMOOTHED_FROM = 30
"""Fewer steps than this are shown as they are."""

UNITS = (
    (2 * 86400.0, 86400.0, "days"),
    (2 * 3600.0, 3600.0, "hours"),
    (120.0, 60.0, "minutes"),
    (0.0, 1.0, "seconds"),
)

Value = Callable[[Metric], float | None]


def loss_figure(report: RunReport, events: Events, key: str) -> Figure | None:
    """Draw the loss with all that happened; None before the first."""
    told = [metric for metric in report.metrics if metric.loss is not None]
    validated = [metric for metric in report.metrics if metric.validation_loss is not None]
    if not told and not validated:
        return None
    steps, losses = _series(told, lambda metric: metric.loss)
    points = _series(validated, lambda metric: metric.validation_loss)
    chart = LineChart(
        lines=(
            *smoothed(steps, losses, "accent"),
            Line(xs=points[0], ys=points[1], tone="ink", weight="points"),
        ),
        x_label="step",
        bands=events.bands,
        pins=events.pins,
        readout=_readout(told, losses),
    )
    label = f"Loss of {report.run.run_id} over {len(told)} steps"
    return Figure(
        title="Loss, nats per token",
        drawing=draw(chart, key=f"{key}-loss", label=label),
        legend=(*_loss_keys(losses, bool(validated)), *events.keys),
        caption=_not_finite(losses),
    )


def optimizer_pair(report: RunReport, events: Events, key: str) -> Pair | None:
    """Draw learning rate and gradient norm; None where neither was told."""
    pins = tuple(pin for pin in events.pins if pin.label)
    figures = (
        _over_steps(report, "Learning rate", lambda m: m.learning_rate, pins, f"{key}-rate", plain=True),
        _over_steps(report, "Gradient norm, before clipping", lambda m: m.grad_norm, pins, f"{key}-norm"),
    )
    there = tuple(figure for figure in figures if figure)
    return Pair(figures=there) if there else None


def speed_pair(report: RunReport, key: str) -> Pair | None:
    """Draw tokens per second over time, with a break at each start, and how often each speed was had."""
    told = [m for m in report.metrics if m.tokens_per_s is not None and m.at is not None]
    if not told:
        return None
    told.sort(key=lambda metric: metric.at or 0.0)
    speeds = [metric.tokens_per_s or 0.0 for metric in told]
    began, unit_s, unit = _time_axis(told)
    times = [((metric.at or 0.0) - began) / unit_s for metric in told]
    lines = smoothed(times, speeds, "accent", find_begins(report, told))
    over_time = LineChart(lines=lines, x_label=f"{unit} since the first step", y_from_zero=True, span="half")
    often = Histogram(values=speeds, x_label="tokens/s")
    note = f"Median {number(median(speeds))}, slowest {number(min(speeds))}, fastest {number(max(speeds))} tokens/s."
    return Pair(
        figures=(
            Figure(
                title="Tokens per second",
                drawing=draw(over_time, key=f"{key}-speed", label="Tokens per second over time"),
            ),
            Figure(
                title="Steps by their speed",
                drawing=draw(often, key=f"{key}-often", label="Histogram of tokens per second"),
                caption=note,
            ),
        )
    )


def smoothed(
    xs: Sequence[float], ys: Sequence[float], tone: Tone, breaks: Sequence[int] = ()
) -> tuple[Line, ...]:
    """Return a series as it is, faint, and its median over some values; a short one only as it is.

    Both are interrupted at each of `breaks`, the places at which it begins anew.
    """
    window = window_of(len(ys))
    if window == 1:
        return (Line(xs=xs, ys=ys, tone=tone, breaks=breaks),)
    parts = pairwise((0, *breaks, len(ys)))
    medians = [median for begin, end in parts for median in smooth(ys[begin:end], window)]
    return (
        Line(xs=xs, ys=ys, tone=tone, weight="raw", breaks=breaks),
        Line(xs=xs, ys=medians, tone=tone, breaks=breaks),
    )


def window_of(count: int) -> int:
    """Return over how many steps is averaged: a thirtieth of all, an odd number."""
    return 1 if count < SMOOTHED_FROM else max(5, count // 30) | 1


def _over_steps(
    report: RunReport, title: str, value: Value, pins: tuple[Pin, ...], key: str, *, plain: bool = False
) -> Figure | None:
    steps, values = _series(report.metrics, value)
    if not steps:
        return None
    lines = (Line(xs=steps, ys=values),) if plain else smoothed(steps, values, "accent")
    chart = LineChart(lines=lines, x_label="step", y_from_zero=plain, pins=pins, span="half")
    return Figure(
        title=title,
        drawing=draw(chart, key=key, label=f"{title} over the steps"),
        caption=_not_finite(values),
    )


def _series(metrics: Sequence[Metric], value: Value) -> tuple[list[float], list[float]]:
    told = [(float(metric.step), found) for metric in metrics if (found := value(metric)) is not None]
    return [step for step, _ in told], [found for _, found in told]


def _readout(told: Sequence[Metric], losses: Sequence[float]) -> Readout:
    medians = smooth(losses, window_of(len(losses)))
    rows = [
        (m.step, m.loss, middle, m.validation_loss, m.learning_rate, m.grad_norm)
        for m, middle in zip(told, medians, strict=True)
    ]
    return Readout(
        names=("step", "loss", "median", "validation", "learning rate", "gradient norm"), rows=rows
    )


def _loss_keys(losses: Sequence[float], validated: bool) -> Iterator[Key]:
    window = window_of(len(losses))
    if window > 1:
        yield Key(name="each step", tone="accent", shape="raw")
        yield Key(name=f"median over {window} steps", tone="accent")
    elif losses:
        yield Key(name="each step", tone="accent")
    if validated:
        yield Key(name="validation", tone="ink", shape="dot")


def _not_finite(values: Sequence[float]) -> str:
    count = sum(not math.isfinite(value) for value in values)
    return f"{count} of {len(values)} steps gave no finite number; a cross marks them." if count else ""


def find_begins(report: RunReport, told: Sequence[Metric]) -> list[int]:
    """Return which metrics, ordered by time, are the first after a start of the job or of its ranks."""
    starts = sorted([*report.run.restarts, *(mark.at for mark in report.marks if mark.mark == "spawned")])
    before = [bisect_right(starts, metric.at or 0.0) for metric in told]
    return [place for place in range(1, len(told)) if before[place] > before[place - 1]]


def _time_axis(told: Sequence[Metric]) -> tuple[float, float, str]:
    """Return when the first step ended, and the seconds and the name of the unit that suits the whole."""
    times = [metric.at for metric in told if metric.at is not None]
    span_s = times[-1] - times[0]
    unit_s, unit = next((size, name) for least, size, name in UNITS if span_s >= least)
    return times[0], unit_s, unit
