"""Several runs in one picture and in two tables: what came of each, and what was wished differently."""

from collections.abc import Callable, Iterator, Sequence

from l3_modeltools import Comparison, Metric
from ogai.flows.train.report import RunReport
from ogai.render.report import (
    Block,
    Cell,
    Column,
    Figure,
    Key,
    Line,
    LineChart,
    Pair,
    Prose,
    Row,
    Table,
    draw,
    series_tone,
)
from ogai.render.train.compared import describe_differences, describe_outcomes
from ogai.render.train.report.curves import smoothed

__all__ = ["curve_blocks", "difference_blocks", "outcome_blocks"]

Value = Callable[[Metric], float | None]


def curve_blocks(reports: Sequence[RunReport]) -> Iterator[Block]:
    """Lay the curves of all runs over each other."""
    keys = tuple(Key(name=r.run.run_id, tone=series_tone(index)) for index, r in enumerate(reports))
    by_tokens = _unlike(reports)
    if not any(metric.loss is not None for report in reports for metric in report.metrics):
        yield Prose(text="No step is done yet.")
        return
    validation = _lines(reports, lambda metric: metric.validation_loss, by_tokens=by_tokens, points=True)
    marks = [Key(name="each step", tone="muted", shape="raw")]
    marks += [Key(name="validation", tone="muted", shape="dot")] if validation else []
    curves = _lines(reports, lambda metric: metric.loss, by_tokens=by_tokens)
    yield _figure("Loss, nats per token", (*curves, *validation), (*keys, *marks), by_tokens=by_tokens)
    pairs = (
        (
            "Gradient norm, before clipping",
            _lines(reports, lambda m: m.grad_norm, by_tokens=by_tokens),
        ),
        ("Tokens per second", _lines(reports, lambda m: m.tokens_per_s, by_tokens=by_tokens)),
    )
    figures = [_figure(title, lines, keys, by_tokens=by_tokens, half=True) for title, lines in pairs if lines]
    if figures:
        yield Pair(figures=tuple(figures))


def outcome_blocks(comparison: Comparison) -> Iterator[Block]:
    """Say what came of each run."""
    yield _side_by_side(comparison, describe_outcomes(comparison), "number")


def difference_blocks(comparison: Comparison) -> Iterator[Block]:
    """Say which fields of their trainings differ."""
    lines = describe_differences(comparison)
    yield _side_by_side(comparison, lines, "text") if lines else Prose(text="They were wished alike.")


def _figure(
    title: str,
    lines: tuple[Line, ...],
    legend: tuple[Key, ...],
    *,
    by_tokens: bool,
    half: bool = False,
) -> Figure:
    chart = LineChart(
        lines=lines,
        x_label="tokens" if by_tokens else "step",
        y_from_zero=title == "Tokens per second",
        span="half" if half else "full",
    )
    key = f"all-{title.split()[0].lower()}"
    return Figure(title=title, drawing=draw(chart, key=key, label=f"{title} of all runs"), legend=legend)


def _lines(
    reports: Sequence[RunReport], value: Value, *, by_tokens: bool, points: bool = False
) -> tuple[Line, ...]:
    lines: list[Line] = []
    for index, report in enumerate(reports):
        told = [
            (float(m.step if not by_tokens else m.tokens or 0), found)
            for m in report.metrics
            if (found := value(m)) is not None
        ]
        xs, ys, tone = [x for x, _ in told], [y for _, y in told], series_tone(index)
        if told:
            lines += [Line(xs=xs, ys=ys, tone=tone, weight="points")] if points else smoothed(xs, ys, tone)
    return tuple(sorted(lines, key=lambda line: line.weight != "raw"))


def _unlike(reports: Sequence[RunReport]) -> bool:
    """Whether the steps of the runs hold different numbers of tokens, and all are known."""
    last = [report.metrics[-1] for report in reports if report.metrics]
    per_step = {round(metric.tokens / metric.step, 1) for metric in last if metric.tokens and metric.step}
    known = all(metric.tokens is not None for report in reports for metric in report.metrics)
    return known and len(per_step) > 1


def _side_by_side(comparison: Comparison, lines: Sequence[tuple[str, ...]], style: str) -> Table:
    runs = [summary.run_id for summary in comparison.summaries]
    columns = [Column(title=run, style="number" if style == "number" else "text") for run in runs]
    return Table(
        columns=(Column(title="", style="head"), *columns),
        rows=tuple(Row(cells=tuple(Cell(text=text) for text in line)) for line in lines),
    )
