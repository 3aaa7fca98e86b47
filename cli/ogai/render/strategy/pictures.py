"""Both pictures of a plan for a page: the turns of each rank over the step, and what the memory of each stage holds."""

from collections.abc import Iterator, Sequence

from l0_infra.core.units import format_bytes
from l3_modeltools import Derivation, Event, Timeline
from ogai.flows.strategy import Explained
from ogai.render.report import Key, Lane, LaneRun, Lanes, Tone
from ogai.render.strategy.bars import BANDS
from ogai.render.strategy.timeline import NAMES, shown_ranks
from ogai.render.strategy.words import share

__all__ = ["stage_lanes", "step_lanes"]

TONES: dict[str, Tone] = {"F": "series-1", "B": "series-3", "W": "series-2"}
MEMORY_TONES: tuple[Tone, ...] = ("series-1", "series-6", "series-4", "series-3", "series-2", "faint")
KEPT = "A rank keeps the activations of so many micro batches, counted by virtual stage"
POINT = (
    "Every second micro batch is paler. Point at a turn to see which it is; "
    "zoom with the buttons, a double click, or Ctrl and the wheel; drag to move."
)
MOST = 40_000
"""Turns that a page draws; of a step with more, the first and the last ranks are drawn."""


def step_lanes(explained: Explained, timeline: Timeline) -> Lanes:
    """A lane for each rank, drawn to scale, whose turns can be looked at closely."""
    ranks = range(len(timeline.ranks))
    shown = shown_ranks(len(ranks), max(2, MOST // max(map(len, timeline.ranks))))
    there = {event.kind for events in timeline.ranks for event in events}
    left_out = f" Of {len(ranks)} ranks, the first and the last ones." if len(shown) < len(ranks) else ""
    millis = timeline.length < 1
    return Lanes(
        title="What each rank does",
        lanes=tuple(_rank(explained, timeline, rank, 1e3 if millis else 1.0) for rank in shown),
        extent=timeline.length * (1e3 if millis else 1.0),
        unit="ms" if millis else "s",
        between="waits",
        zoom=True,
        legend=tuple(Key(name=NAMES[kind], tone=TONES[kind], shape="dot") for kind in NAMES if kind in there),
        caption=f"{KEPT}, at most. {POINT}{left_out}",
    )


def _rank(explained: Explained, timeline: Timeline, rank: int, scale: float) -> Lane:
    waiting, several = explained.ranks[rank], explained.strategy.degrees.vp > 1
    return Lane(
        name=f"rank {rank}",
        runs=tuple(_turns(timeline.ranks[rank], scale, several=several)),
        note=f"waits {share(waiting.idle)}, keeps {waiting.held}",
        said=f"waits {share(waiting.idle)} of the time, keeps {waiting.held} micro batches at most",
    )


def _turns(events: Sequence[Event], scale: float, *, several: bool) -> Iterator[LaneRun]:
    for event in events:
        part = f", virtual stage {event.chunk}" if several else ""
        yield LaneRun(
            event.start * scale,
            event.end * scale,
            TONES[event.kind],
            f"{NAMES[event.kind]}, micro batch {event.batch}{part}",
            event.batch % 2 == 1,
        )


def stage_lanes(explained: Explained) -> Lanes:
    """A lane for each pipeline stage: its bytes by what they are for, with a line where the accelerator is full."""
    capacity = explained.device_memory_bytes
    extent = max(capacity, *(one.value for one in explained.stages))
    return Lanes(
        title="Memory of an accelerator of each stage",
        lanes=tuple(_stage(explained, at, one) for at, one in enumerate(explained.stages)),
        extent=extent / 2**30,
        unit="GiB",
        mark=capacity / 2**30,
        between="free",
        legend=(
            *(
                Key(name=band.name, tone=tone, shape="dot")
                for band, tone in zip(BANDS, MEMORY_TONES, strict=True)
            ),
            Key(name=f"all of {format_bytes(capacity)}", tone="bad", shape="pin"),
        ),
    )


def _stage(explained: Explained, at: int, one: Derivation) -> Lane:
    layers, total = explained.layers[at], format_bytes(round(one.value))
    free = explained.device_memory_bytes - one.value
    rest = f"{format_bytes(round(abs(free)))} {'free' if free >= 0 else 'too much'}"
    return Lane(
        name=f"stage {explained.first_stage + at}",
        runs=tuple(_bands(one)),
        note=f"{total}, {layers} layer{'s' * (layers != 1)}",
        said=f"{total}, {rest}",
    )


def _bands(one: Derivation) -> Iterator[LaneRun]:
    """Terms that belong together, one after the other."""
    sizes, end = {part.name: part.value for part in one.parts}, 0.0
    for band, tone in zip(BANDS, MEMORY_TONES, strict=True):
        start, end = end, end + sum(sizes.get(term, 0.0) for term in band.terms)
        if end > start:
            yield LaneRun(
                start / 2**30, end / 2**30, tone, f"{band.name}: {format_bytes(round(end - start))}"
            )
