"""Derivation of the bubble: what the slowest stage waits for each of the others, and what those are made of."""

from collections.abc import Iterator
from dataclasses import fields

from l3_modeltools.planning.cost.bytes.place import KINDS, Kind, stages_of
from l3_modeltools.planning.cost.seconds.layer import LayerTime, Part, layer_time
from l3_modeltools.planning.cost.seconds.rates import Rates
from l3_modeltools.planning.cost.seconds.stages import StageTime
from l3_modeltools.planning.cost.seconds.step import StepTime
from l3_modeltools.planning.cost.setting import Setting
from l3_modeltools.planning.explain.derivation import Derivation, inputs

__all__ = ["explain_bubble", "explain_uneven"]

BESIDE = {
    "recompute": ("again", "seconds of what its layers make again"),
    "copies": ("exchanged", "seconds of exchanges between copies, with every micro batch"),
    "output": ("end", "seconds of the last product and the loss"),
}
"""What a stage does beside its layers' own passes: a symbol, and what it is."""


def explain_bubble(
    setting: Setting, rates: Rates, stages: tuple[StageTime, ...], slowest: int, value: float
) -> Derivation:
    """One micro batch through all other stages; like ones are counted together, by the first of them."""
    zero = setting.strategy.pipeline.schedule == "zero_bubble"
    like: dict[StageTime, list[int]] = {}
    for p, one in enumerate(stages):
        if p != slowest:
            like.setdefault(one, []).append(p)
    counts = [(f"n_{others[0]}", len(others), f"stages like stage {others[0]}") for others in like.values()]
    parts = tuple(_stage(setting, rates, one, others[0], zero=zero) for one, others in like.items())
    terms = (f"{count[0]} * {part.name}" for count, part in zip(counts, parts, strict=True))
    return Derivation(
        name="bubble",
        meaning="waiting for the other stages to begin and to end",
        unit="s",
        value=value,
        formula=f"({' + '.join(terms) or '0'}) / vp",
        inputs=inputs(("vp", setting.strategy.degrees.vp, "virtual stages of each"), *counts),
        parts=parts,
        source="arXiv:2401.10241, section 2.3" if zero else "arXiv:2104.04473, section 2.2",
    )


def explain_uneven(time: StepTime, batches: int, pace: StageTime) -> Derivation:
    """What playing the schedule, turn by turn, finds beside the bubble."""
    known = batches * pace.total + time.hand_over + time.bubble
    return Derivation(
        name="uneven",
        meaning="virtual stages of unlike length wait for each other, as the schedule shows when it is played",
        unit="s",
        value=time.uneven,
        formula="played - (m * each + handed + waited)" if time.uneven else "0",
        inputs=inputs(
            ("played", known + time.uneven, "seconds from the first turn to the last, by simulation"),
            ("m", batches, "micro batches"),
            ("each", pace.total, "seconds of the slowest stage for each"),
            ("handed", time.hand_over, "seconds of handing over"),
            ("waited", time.bubble, "seconds of the bubble"),
        )
        if time.uneven
        else (),
        source="arXiv:2104.04473, section 2.2.2",
    )


def _stage(setting: Setting, rates: Rates, time: StageTime, number: int, *, zero: bool) -> Derivation:
    """Its layers, by kind, and its ends; with a zero-bubble schedule less what it puts off, twice."""
    stage = stages_of(setting)[number]
    kinds = [(kind, stage.count(at)) for at, kind in enumerate(KINDS) if stage.count(at)]
    rows: list[tuple[str, float, str]] = [(f"n_{kind}", many, f"{kind} layers") for kind, many in kinds]
    parts = tuple(_layer(kind, layer_time(setting, rates, kind)) for kind, _ in kinds)
    beside = [
        (symbol, getattr(time, name), meaning)
        for name, (symbol, meaning) in BESIDE.items()
        if getattr(time, name)
    ]
    layers = (f"{row[0]} * {part.name}" for row, part in zip(rows, parts, strict=True))
    formula = " + ".join([*layers, *(row[0] for row in beside)])
    rows += beside
    if zero:
        formula = f"max(0, {formula} - 2 * weight_gradients)"
        rows.append(
            ("weight_gradients", time.weight_gradients, "seconds of its products by weights, put off")
        )
    return Derivation(
        name=f"through_{number}",
        meaning=f"a micro batch through stage {number}, both ways"
        + (", without what it puts off" if zero else ""),
        unit="s",
        value=max(0.0, time.total - 2 * time.weight_gradients) if zero else time.total,
        formula=formula,
        inputs=inputs(*rows),
        parts=parts,
        source="arXiv:2401.10241, section 2.3" if zero else "",
    )


def _layer(kind: Kind, layer: LayerTime) -> Derivation:
    """By what is done; the terms of a step have each of these as a part, derived."""
    rows = list(_done(kind, layer))
    return Derivation(
        name=f"{kind}_layer",
        meaning=f"a {kind} layer and a micro batch, both ways, nothing made again",
        unit="s",
        value=sum(seconds for _, seconds, _ in rows),
        formula=" + ".join(symbol for symbol, _, _ in rows) or "0",
        inputs=inputs(*rows),
    )


def _done(kind: Kind, layer: LayerTime) -> Iterator[tuple[str, float, str]]:
    for one in fields(layer):
        part = getattr(layer, one.name)
        if isinstance(part, Part) and part.both:
            yield f"{kind}_{one.name}", part.both, f"seconds of its {one.name.replace('_', ' ')}"
