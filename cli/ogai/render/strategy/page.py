"""A strategy's plan as a page: the step to scale, bytes by stage, terms, and each number's derivation folded."""

from collections.abc import Iterator, Sequence
from itertools import groupby
from time import localtime, strftime, time

from l0_infra.core.units import format_bytes
from l3_modeltools import Derivation, Event, Timeline
from ogai.flows.strategy import Explained
from ogai.render.report import (
    Block,
    Cell,
    Code,
    Column,
    Fact,
    Fold,
    HeatGroup,
    HeatMap,
    HeatRow,
    HeatRun,
    Key,
    Page,
    Prose,
    Row,
    Section,
    Table,
    Tone,
)
from ogai.render.strategy.explain import derivation_lines, quantity
from ogai.render.strategy.timeline import Window, turn_at, windows_of
from ogai.render.strategy.words import cut, held, share, step
from ogai.version import __version__

__all__ = ["plan_page"]

COLUMNS = 480
TONES: dict[str, Tone] = {"F": "series-1", "B": "series-3", "W": "series-2"}

NAMES = {"F": "forward", "B": "backward", "W": "gradients of weights"}

BANDS: tuple[tuple[str, Tone, tuple[str, ...]], ...] = (
    ("weights", "series-1", ("weights",)),
    ("gradients", "series-2", ("gradients",)),
    ("optimizer", "series-3", ("master_and_moments",)),
    ("activations", "series-4", ("activations",)),
    ("logits", "series-5", ("logits",)),
    ("rest", "series-8", ("communication", "workspace", "fragmentation", "context")),
)
DERIVED = 4
"""Stages whose numbers are derived on the page: the first ones and the last; those between are alike."""


def plan_page(explained: Explained, timeline: Timeline) -> Page:
    """Compose it. Raises ModuleNotFoundError where what lays out pages is not installed."""
    workload = explained.strategy.workload
    name = workload.architecture.name if workload else "strategy"
    sections = [
        Section(title="The step, rank by rank", blocks=tuple(_timeline(explained, timeline))),
        Section(title="Bytes of a rank, by pipeline stage", blocks=tuple(_bars(explained))),
    ]
    if explained.step is not None:
        sections.append(Section(title="Seconds", blocks=(_terms(explained.step),)))
    sections.append(
        Section(title="Where each number comes from", blocks=tuple(_derivations(explained))),
    )
    return Page(
        kicker="Strategy",
        title=f"{name} on {explained.devices:,} × {explained.device}",
        lead=f"{cut(explained.strategy)}; {held(explained.strategy)}.",
        facts=tuple(_facts(explained, timeline)),
        sections=tuple(sections),
        foot=f"Made by ogai {__version__} on {strftime('%Y-%m-%d at %H:%M', localtime(time()))}.",
    )


def _facts(explained: Explained, timeline: Timeline) -> Iterator[Fact]:
    workload, whole = explained.strategy.workload, explained.step
    if whole is not None and workload is not None:
        tokens = workload.sequence_length * workload.global_batch_size
        yield Fact(name="Step", value=step(whole.value), note=f"{tokens:,} tokens")
        yield Fact(name="Speed", value=f"{tokens / whole.value:,.0f}", note="tokens/s")
        bubble = whole.find("bubble")
        if bubble is not None:
            yield Fact(name="Bubble", value=share(bubble.value / whole.value), note="of the step")
    fullest = max(explained.stages, key=lambda one: one.value)
    yield Fact(
        name="Memory",
        value=format_bytes(round(fullest.value)),
        note=f"of {format_bytes(explained.device_memory_bytes)}, the fullest stage",
    )


def _timeline(explained: Explained, timeline: Timeline) -> Iterator[Block]:
    windows = windows_of(timeline, COLUMNS)
    each = COLUMNS if len(windows) == 1 else COLUMNS // 2
    rows = tuple(
        HeatRow(
            label=f"rank {rank}",
            runs=tuple(
                run for at, window in enumerate(windows) for run in _runs(events, window, each, at * each)
            ),
        )
        for rank, events in enumerate(timeline.ranks)
    )
    there = {event.kind for events in timeline.ranks for event in events}
    names = [f"{step(window.start)} to {step(window.end)}" for window in windows]
    yield HeatMap(
        columns=each * len(windows),
        rows=rows,
        groups=tuple(HeatGroup(name=name, count=each) for name in names),
        legend=tuple(Key(name=NAMES[kind], tone=TONES[kind], shape="dot") for kind in NAMES if kind in there),
        caption="A row for each pipeline rank, to scale; empty: it waits."
        + (" The middle of the step, which repeats itself, is left out." if len(windows) > 1 else ""),
    )
    waits = [waiting.idle for waiting in explained.ranks]
    yield Prose(text=f"Ranks wait for {share(min(waits))} to {share(max(waits))} of the step.")


def _runs(events: Sequence[Event], window: Window, columns: int, first: int) -> Iterator[HeatRun]:
    """Neighbouring columns in which the same turn is under way."""
    width = (window.end - window.start) / columns
    turns = [turn_at(events, window.start + (column + 0.5) * width) for column in range(columns)]
    for turn, group in groupby(range(columns), key=lambda column: turns[column]):
        places = list(group)
        if turn is not None:
            seconds = step(turn.end - turn.start)
            stage = f", virtual stage {turn.chunk}" if any(event.chunk for event in events) else ""
            yield HeatRun(
                first=first + places[0],
                count=len(places),
                tone=TONES[turn.kind],
                title=f"{NAMES[turn.kind]}, micro batch {turn.batch}{stage}: {seconds}",
            )


def _bars(explained: Explained) -> Iterator[Block]:
    """A row for each stage, as wide as the device's memory, or as the fullest stage where that is more."""
    whole = max(explained.device_memory_bytes, *(one.value for one in explained.stages))
    rows = tuple(
        HeatRow(
            label=f"stage {explained.first_stage + at}: {quantity(one)}, {explained.layers[at]} layers",
            runs=tuple(_bands(one, whole)),
        )
        for at, one in enumerate(explained.stages)
    )
    capacity = format_bytes(explained.device_memory_bytes)
    yield HeatMap(
        columns=COLUMNS,
        rows=rows,
        legend=tuple(Key(name=name, tone=tone, shape="dot") for name, tone, _ in BANDS),
        caption=f"The width is {format_bytes(round(whole))}; the accelerator has {capacity}.",
    )


def _bands(one: Derivation, whole: float) -> Iterator[HeatRun]:
    """Terms that belong together, one after the other; they end where the sum up to there does."""
    sizes, so_far = {part.name: part.value for part in one.parts}, 0.0
    for name, tone, terms in BANDS:
        size = sum(sizes.get(term, 0.0) for term in terms)
        first, end = (round((so_far + part) / whole * COLUMNS) for part in (0.0, size))
        so_far += size
        if end > first:
            title = f"{name}: {format_bytes(round(size))}"
            yield HeatRun(first=first, count=end - first, tone=tone, title=title)


def _terms(whole: Derivation) -> Table:
    parts = sorted(whole.parts, key=lambda part: -part.value)
    return Table(
        columns=(
            Column(title="Term", style="word"),
            Column(title="Time", style="number"),
            Column(title="Share", style="number"),
            Column(title="What it is"),
        ),
        rows=tuple(
            Row(
                cells=(
                    Cell(text=part.name.replace("_", " ")),
                    Cell(text=step(part.value)),
                    Cell(text=share(part.value / whole.value)),
                    Cell(text=part.meaning),
                )
            )
            for part in parts
            if part.value > 0
        ),
    )


def _derivations(explained: Explained) -> Iterator[Block]:
    stages = explained.stages
    ends = stages if len(stages) <= DERIVED else (*stages[: DERIVED - 1], stages[-1])
    for whole in filter(None, (explained.step, *ends)):
        for part in whole.parts:
            if part.value > 0:
                where = "" if whole.unit == "s" else f", {whole.name.replace('_', ' ')}"
                yield Fold(
                    title=f"{part.name.replace('_', ' ')}{where}",
                    note=quantity(part),
                    blocks=(Code(text="\n".join(derivation_lines(part))),),
                )
