"""The faults of a run in tables: many by their class, the newest one by one with what speaks for each."""

from collections import Counter
from collections.abc import Iterator, Sequence
from statistics import median

from l3_modeltools.schemas import Suspect, TrainingFault
from ogai.flows.train.report import RunReport
from ogai.render.moment import brief, local_time
from ogai.render.report import Block, Cell, Column, Figure, Fold, Histogram, Pair, Row, Table, draw
from ogai.render.shortened import shortened
from ogai.render.train.report.events import StepClock, fault_tone
from ogai.render.train.words import done

__all__ = ["fault_blocks"]

GROUPED_FROM = 20
"""So many faults are summed up by their class before they are listed."""

SHOWN_FAULTS = 200
SHOWN_CHARACTERS = 2000
NAMED = 3
"""Suspects, or things done, of a class that are named; the others are counted."""


def fault_blocks(report: RunReport, key: str, now: float) -> Iterator[Block]:
    """Show the faults: many by their class first; then each, the newest where there are very many; then evidence.

    `key` is as for `draw`.
    """
    faults = report.faults
    shown = faults[-SHOWN_FAULTS:]
    if len(faults) >= GROUPED_FROM:
        yield _by_class(faults, now)
        yield Pair(figures=(_by_step(report, f"{key}-faults"),))
    caption = (
        f"The newest {len(shown)} of {len(faults):,}; `ogai train faults {report.run.run_id}` lists all."
    )
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
        caption=caption if len(shown) < len(faults) else "",
    )
    yield Fold(title="Evidence", note="as it was seen", blocks=(_evidence(shown),))


def _by_class(faults: Sequence[TrainingFault], now: float) -> Table:
    groups: dict[str, list[TrainingFault]] = {}
    for fault in faults:
        groups.setdefault(fault.fault_class, []).append(fault)
    largest = sorted(groups.values(), key=len, reverse=True)
    return Table(
        columns=(
            Column(title="class", style="word"),
            Column(title="faults", style="number"),
            Column(title="from, to", style="word"),
            Column(title="who"),
            Column(title="done"),
            Column(title="noticed after", style="number"),
            Column(title="stood still", style="number"),
            Column(title="redone", style="number"),
        ),
        rows=(
            *(Row(cells=_class_cells(group[0].fault_class, group, now)) for group in largest),
            Row(cells=_class_cells("all", faults, now), emphasis=True),
        ),
    )


def _by_step(report: RunReport, key: str) -> Figure:
    clock = StepClock(report.metrics)
    steps = [clock.step_at(f.detected_at) if f.step is None else f.step for f in report.faults]
    label = f"Histogram of {len(steps)} faults by their step"
    return Figure(
        title="Faults by their step",
        drawing=draw(Histogram(values=steps, x_label="step"), key=key, label=label),
    )


def _class_cells(name: str, faults: Sequence[TrainingFault], now: float) -> tuple[Cell, ...]:
    begins = [_began(fault) for fault in faults]
    noticed = [f.detected_at - f.occurred_at for f in faults if f.occurred_at is not None]
    stood_still = [f.resumed_at - _began(f) for f in faults if f.resumed_at is not None]
    redone = [f.redone_steps for f in faults if f.redone_steps is not None]
    tones = {fault_tone(fault) for fault in faults}
    return (
        Cell(text=name.replace("_", " "), tone="bad" if "bad" in tones else "warn"),
        Cell(text=f"{len(faults):,}"),
        Cell(text=local_time(min(begins), now), note=local_time(max(begins), now)),
        Cell(text=_most([_who(suspect) for fault in faults for suspect in fault.suspects])),
        Cell(text=_most([done(fault.taken) for fault in faults])),
        Cell(text=brief(median(noticed)) if noticed else "-", note="median" if noticed else ""),
        Cell(text=brief(sum(stood_still)) if stood_still else "-", note="in all" if stood_still else ""),
        Cell(text=_steps(sum(redone)) if redone else "-"),
    )


def _most(names: Sequence[str]) -> str:
    """Write `rank 3 (412), rank 1 (7), others (2)`."""
    counts = sorted(Counter(names).items(), key=lambda item: (-item[1], item[0]))
    parts = [f"{name} ({count:,})" for name, count in counts[:NAMED]]
    if others := sum(count for _, count in counts[NAMED:]):
        parts.append(f"others ({others:,})")
    return ", ".join(parts) or "-"


def _who(suspect: Suspect) -> str:
    return f"rank {suspect.rank}" if suspect.rank is not None else f"node {suspect.node}"


def _began(fault: TrainingFault) -> float:
    return fault.detected_at if fault.occurred_at is None else fault.occurred_at


def _fault_cells(fault: TrainingFault, now: float) -> tuple[Cell, ...]:
    began = _began(fault)
    name = fault.fault_class.replace("_", " ")
    who = ", ".join(map(_who, fault.suspects))
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
