"""What happened to a run, in tables: its faults with what was done, where its time went, its checkpoints."""

from collections.abc import Iterator, Mapping, Sequence
from itertools import groupby

from l3_modeltools import Interval
from l3_modeltools.schemas import TrainingFault
from ogai.flows.train.report import RunReport
from ogai.render.moment import brief, local_time
from ogai.render.report import Bar, BarPart, Block, Cell, Column, Fold, Prose, Row, Table, Tone
from ogai.render.train.report.events import fault_tone
from ogai.render.train.words import done

__all__ = ["checkpoint_blocks", "fault_blocks", "time_blocks"]

STRIP_COLUMNS = 800
SHOWN_FAULTS = 200
SHOWN_CHARACTERS = 2000

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


def fault_blocks(report: RunReport, now: float) -> Iterator[Block]:
    """Show the faults, the newest where there are many, and below them what speaks for each."""
    shown = report.faults[-SHOWN_FAULTS:]
    left_out = len(report.faults) - len(shown)
    yield Table(
        columns=(
            Column(title="fault", style="word"),
            Column(title="when", style="word"),
            Column(title="what happened"),
            Column(title="done", style="word"),
            Column(title="noticed after", style="number"),
            Column(title="stood still", style="number"),
            Column(title="redone", style="number"),
        ),
        rows=tuple(Row(cells=_fault_cells(fault, now)) for fault in shown),
        caption=f"{left_out} earlier ones are left out." if left_out else "",
    )
    yield Fold(title="Evidence", note="as it was seen", blocks=(_evidence(shown),))


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


def _fault_cells(fault: TrainingFault, now: float) -> tuple[Cell, ...]:
    began = fault.detected_at if fault.occurred_at is None else fault.occurred_at
    name = fault.fault_class.replace("_", " ")
    who = ", ".join(f"rank {s.rank}" if s.rank is not None else f"node {s.node}" for s in fault.suspects)
    return (
        Cell(text=str(fault.fault_id), tone=fault_tone(fault)),
        Cell(text=f"step {fault.step:,}" if fault.step is not None else "-", note=local_time(began, now)),
        Cell(text=": ".join(filter(None, (name, who))), note=fault.summary),
        Cell(text=done(fault.taken)),
        Cell(text=brief(fault.detected_at - began) if fault.occurred_at is not None else "-"),
        Cell(text=brief(fault.resumed_at - began) if fault.resumed_at is not None else "-"),
        Cell(text="-" if fault.redone_steps is None else _steps(fault.redone_steps)),
    )


def _steps(count: int) -> str:
    if count == 0:
        return "none"
    return f"{count:,} step" if count == 1 else f"{count:,} steps"


def _evidence(faults: Sequence[TrainingFault]) -> Table:
    return Table(
        columns=(
            Column(title="fault", style="number"),
            Column(title="seen in", style="word"),
            Column(title="rank", style="number"),
            Column(title="what", style="code"),
        ),
        rows=tuple(
            Row(
                cells=(
                    Cell(text=str(fault.fault_id)),
                    Cell(text=seen.source.replace("_", " ")),
                    Cell(text="-" if seen.rank is None else str(seen.rank)),
                    Cell(text=shortened(seen.text, SHOWN_CHARACTERS)),
                )
            )
            for fault in faults
            for seen in fault.evidence
        ),
    )


def shortened(text: str, limit: int) -> str:
    """Cut a text that is longer, and say how much is missing."""
    return text if len(text) <= limit else f"{text[:limit]}… ({len(text) - limit:,} characters more)"
