"""Where the time of a run went, and what it can be resumed from."""

from collections.abc import Iterator, Mapping, Sequence
from itertools import groupby

from l3_modeltools import Interval
from ogai.flows.train.report import RunReport
from ogai.render.moment import brief, local_time
from ogai.render.report import Bar, BarPart, Block, Cell, Column, Fold, Prose, Row, Table, Tone

__all__ = ["checkpoint_blocks", "time_blocks"]

STRIP_COLUMNS = 800

CATEGORIES: Mapping[str, tuple[Tone, str]] = {
    "productive": ("accent", "steps that count"),
    "redone": ("series-2", "steps done before and done again after a fault"),
    "queue": ("grid", "waiting for its turn"),
    "setup": ("faint", "until the ranks were ready"),
    "detect": ("series-7", "until a fault was noticed"),
    "locate": ("series-4", "from its notice until it was known what to do"),
    "restart": ("series-8", "until the ranks were ready again after a fault"),
    "save_stall": ("series-3", "the loop held up by a save"),
    "validate": ("series-6", "the loop held up by a validation"),
    "paused": ("series-5", "waiting, such as for room on the disk"),
    "stopped": ("paper", "ended on a person's wish or by a verdict, until it was wanted again"),
    "other": ("muted", "what nobody told of"),
}


def time_blocks(report: RunReport) -> Iterator[Block]:
    """Show where the time went: as it passed, and summed up."""
    accounts = report.accounts
    if not accounts.wall_s:
        yield Prose(text="No time has been spent yet.")
        return
    begin, end = (
        local_time(ns / 1e9, 0.0) for ns in (accounts.intervals[0].begin_ns, accounts.intervals[-1].end_ns)
    )
    yield Bar(title="", parts=passed(accounts.intervals), ends=(begin, end))
    yield Table(
        columns=(
            Column(title="spent on", style="word"),
            Column(title="time", style="number"),
            Column(title="share", style="number"),
            Column(title="which is"),
        ),
        rows=(
            *(
                _spent(name, seconds, accounts.wall_s)
                for name, seconds in accounts.spent_s.items()
                if seconds > 0
            ),
            Row(cells=_texts("all", brief(accounts.wall_s), "100.0 %", ""), emphasis=True),
        ),
    )
    yield Fold(title="Published measures", note="of the same time", blocks=(_shares(report),))


def passed(intervals: Sequence[Interval]) -> tuple[BarPart, ...]:
    """Return the intervals as parts of a bar; of very many the longest in each of its columns."""
    begin, whole = intervals[0].begin_ns, intervals[-1].end_ns - intervals[0].begin_ns
    if len(intervals) <= STRIP_COLUMNS:
        return tuple(_part(i.category, (i.end_ns - i.begin_ns) / whole) for i in intervals)
    longest: dict[int, Interval] = {}
    for interval in intervals:
        first = (interval.begin_ns - begin) * STRIP_COLUMNS // whole
        last = (interval.end_ns - 1 - begin) * STRIP_COLUMNS // whole
        for column in range(first, last + 1):
            known = longest.get(column)
            if known is None or interval.end_ns - interval.begin_ns > known.end_ns - known.begin_ns:
                longest[column] = interval
    names = [longest[column].category for column in sorted(longest)]
    return tuple(_part(name, len(list(run)) / len(names)) for name, run in groupby(names))


def _part(category: str, share: float) -> BarPart:
    return BarPart(name=category.replace("_", " "), share=share, tone=CATEGORIES[category][0])


def _spent(category: str, seconds: float, wall_s: float) -> Row:
    tone, meaning = CATEGORIES[category]
    name, *others = _texts(
        category.replace("_", " "), brief(seconds), f"{100 * seconds / wall_s:.1f} %", meaning
    )
    return Row(cells=(Cell(text=name.text, tone=tone), *others))


def _texts(*texts: str) -> tuple[Cell, ...]:
    return tuple(Cell(text=text) for text in texts)


def _shares(report: RunReport) -> Table:
    return Table(
        columns=(
            Column(title="measure", style="word"),
            Column(title="share", style="number"),
            Column(title="which is"),
        ),
        rows=tuple(
            Row(
                cells=(
                    Cell(text=figure.name),
                    Cell(text="-" if figure.share is None else f"{100 * figure.share:.1f} %"),
                    Cell(text=figure.equation, note=figure.source),
                )
            )
            for figure in report.shares
        ),
    )


def checkpoint_blocks(report: RunReport) -> Iterator[Block]:
    """List what the run can be resumed from."""
    yield Table(
        columns=(
            Column(title="after step", style="number"),
            Column(title="directory", style="code"),
            Column(title="manifest", style="code"),
        ),
        rows=tuple(
            Row(
                cells=(
                    Cell(text=f"{c.step:,}"),
                    Cell(text=c.directory),
                    Cell(text=f"sha256:{c.manifest_sha256[:16]}…"),
                )
            )
            for c in report.run.checkpoints
        ),
    )
