"""How fast nodes were when nothing was wrong: medians of earlier clean checks, by class and measure."""

from collections.abc import Iterator
from statistics import median

from l1_podsys import describe_rate
from ogai.flows.cluster import ClusterReport
from ogai.render.report import Block, Cell, Column, Row, Table

__all__ = ["speed_blocks"]


def speed_blocks(report: ClusterReport) -> Iterator[Block]:
    """List baselines; none where nothing was measured."""
    rows = [
        _row(node_class, measure, runs)
        for node_class, measures in sorted(report.record.baselines.items())
        for measure, runs in sorted(measures.items())
        if runs
    ]
    if rows:
        yield Table(
            columns=(
                *(Column(title="class", style="word"), Column(title="measure", style="word")),
                *(Column(title="usual", style="number"), Column(title="spread", style="number")),
                *(Column(title="last", style="number"), Column(title="checks", style="number")),
            ),
            rows=tuple(rows),
            caption="Usual is the median of the medians of clean checks, spread their median absolute deviation.",
        )


def _row(node_class: str, measure: str, runs: tuple[float, ...]) -> Row:
    usual = median(runs)
    spread = median(abs(run - usual) for run in runs)
    return Row(
        cells=(
            Cell(text=node_class),
            Cell(text=measure),
            Cell(text=describe_rate(measure, usual)),
            Cell(text=f"{100 * spread / usual:.1f} %" if usual and len(runs) > 1 else "-"),
            Cell(text=describe_rate(measure, runs[-1])),
            Cell(text=f"{len(runs):,}"),
        )
    )
