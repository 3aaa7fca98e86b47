"""A strategy's plan as a page: the step to scale, bytes by stage, terms, and each number's derivation folded."""

from collections.abc import Iterator
from time import localtime, strftime, time

from l0_infra.core.units import format_bytes
from l3_modeltools import Derivation, Timeline
from ogai.flows.strategy import Explained
from ogai.render.report import Block, Cell, Code, Column, Fact, Fold, Page, Prose, Row, Section, Table
from ogai.render.strategy.derived import put_in, quantity, symbols
from ogai.render.strategy.pictures import stage_lanes, step_lanes
from ogai.render.strategy.words import cut, held, rate, share, step
from ogai.render.train.words import number
from ogai.version import __version__

__all__ = ["plan_page"]


def plan_page(explained: Explained, timeline: Timeline) -> Page:
    """Compose it. Raises ModuleNotFoundError where what lays out pages is not installed."""
    workload = explained.strategy.workload
    name = workload.architecture.name if workload else "strategy"
    return Page(
        kicker="Strategy, planned",
        title=f"{name} on {explained.devices:,} × {explained.device}",
        lead=f"{cut(explained.strategy)}; {held(explained.strategy)}.",
        facts=tuple(_facts(explained)),
        sections=tuple(_sections(explained, timeline)),
        foot=f"Made by ogai {__version__} on {strftime('%Y-%m-%d at %H:%M', localtime(time()))}.",
    )


def _sections(explained: Explained, timeline: Timeline) -> Iterator[Section]:
    whole = explained.step
    after = f"{step(timeline.length)} turn by turn" if whole else ""
    yield Section(title="The step", note=after, blocks=tuple(_turns(explained, timeline)))
    yield Section(title="Memory", note="by pipeline stage", blocks=(stage_lanes(explained),))
    if whole is not None:
        blocks: tuple[Block, ...] = (
            _terms(whole),
            *(_derived(part) for part in whole.parts if part.value > 0),
        )
        yield Section(title="Where the seconds come from", blocks=blocks)
    yield Section(title="Where the bytes come from", blocks=tuple(_stages(explained)))


def _facts(explained: Explained) -> Iterator[Fact]:
    workload, whole = explained.strategy.workload, explained.step
    if whole is not None and workload is not None:
        tokens = workload.sequence_length * workload.global_batch_size
        yield Fact(name="Step", value=step(whole.value), note=f"{number(tokens)} tokens")
        yield Fact(name="Tokens", value=rate(tokens / whole.value), note="of all accelerators")
    if whole is not None and (bubble := whole.find("bubble")) is not None and bubble.value > 0:
        yield Fact(
            name="Bubble", value=share(bubble.value / whole.value), note=f"of the step, {step(bubble.value)}"
        )
    fullest = max(explained.stages, key=lambda one: one.value)
    free = explained.device_memory_bytes - round(fullest.value)
    most = "the fullest stage, " if len(explained.stages) > 1 else ""
    yield Fact(
        name="Memory",
        value=format_bytes(round(fullest.value)),
        note=f"{most}{format_bytes(abs(free))} {'free' if free >= 0 else 'too much'}",
    )


def _turns(explained: Explained, timeline: Timeline) -> Iterator[Block]:
    yield step_lanes(explained, timeline)
    waits = [waiting.idle for waiting in explained.ranks]
    text = "This is the schedule, worked out turn by turn"
    if len(waits) > 1:
        text += f": ranks wait for {share(min(waits))} to {share(max(waits))} of the time"
    if explained.step is not None:
        text += (
            ". Exchanges between copies, the optimizer and what the slowest node costs come after it:"
            f" {step(explained.step.value)} by the terms below"
        )
    yield Prose(text=f"{text}.")


def _terms(whole: Derivation) -> Table:
    parts = sorted((part for part in whole.parts if part.value > 0), key=lambda part: -part.value)
    total = (Cell(text="all", note=whole.meaning), Cell(text=quantity(whole)), Cell(text=""))
    return Table(
        columns=(
            Column(title="Term"),
            Column(title="Bytes" if whole.unit == "bytes" else "Time", style="number"),
            Column(title="Share", style="number"),
        ),
        rows=(*(_term(part, whole) for part in parts), Row(cells=total, emphasis=True)),
    )


def _term(part: Derivation, whole: Derivation) -> Row:
    named = Cell(text=part.name.replace("_", " "), note=part.meaning)
    return Row(cells=(named, Cell(text=quantity(part)), Cell(text=share(part.value / whole.value))))


def _stages(explained: Explained) -> Iterator[Block]:
    for at, one in enumerate(explained.stages):
        layers = explained.layers[at]
        yield Fold(
            title=f"stage {explained.first_stage + at}",
            note=f"{quantity(one)}, {layers} layer{'s' * (layers != 1)}",
            blocks=(_terms(one), *(_derived(part) for part in one.parts if part.value > 0)),
            printed=False,
        )


def _derived(one: Derivation) -> Fold:
    """A number's formula, what its symbols are, and the numbers it is made of, folded in it."""
    told = [one.formula, put_in(one), quantity(one)]
    return Fold(
        title=one.name.replace("_", " "),
        note=quantity(one),
        blocks=tuple(_folded(one, "\n= ".join(filter(None, told)))),
        printed=False,
    )


def _folded(one: Derivation, formula: str) -> Iterator[Block]:
    yield Prose(
        text=f"{one.meaning[:1].upper()}{one.meaning[1:]}." + (f" From {one.source}." if one.source else "")
    )
    yield Code(text=f"{one.name}\n= {formula}")
    parts = {part.name for part in one.parts}
    given = [row for row in symbols(one) if row[0] not in parts]
    if given:
        yield Table(
            columns=(
                Column(title="Symbol", style="code"),
                Column(title="Value", style="number"),
                Column(title="What it is"),
            ),
            rows=tuple(Row(cells=tuple(Cell(text=text) for text in row)) for row in given),
        )
    yield from (_derived(part) for part in one.parts)
