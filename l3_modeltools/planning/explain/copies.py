"""Derivation of exchanges between data-parallel copies: what is added up of gradients and gathered of weights."""

from collections.abc import Iterator

from l3_modeltools.planning.cost.bytes.parameters import Parameters, cut_parameters, stage_parameters
from l3_modeltools.planning.cost.bytes.place import Stage
from l3_modeltools.planning.cost.seconds.copies import gathers_each_time
from l3_modeltools.planning.cost.seconds.exchange import gather_s
from l3_modeltools.planning.cost.seconds.rates import Group, Rates
from l3_modeltools.planning.cost.seconds.stages import StageTime
from l3_modeltools.planning.cost.setting import FORMAT_BYTES, Setting
from l3_modeltools.planning.explain.derivation import Derivation, inputs

__all__ = ["explain_copies"]

GRADIENTS, WEIGHTS = "gradient_exchange", "weight_exchange"


def explain_copies(setting: Setting, rates: Rates, stage: Stage, pace: StageTime, value: float) -> Derivation:
    """What each micro batch shows of them (ZeRO 3), and what is exchanged once a step."""
    each = pace.copies
    return Derivation(
        name="copies",
        meaning="exchanges between copies that no work hides",
        unit="s",
        value=value,
        formula="m * each + once_a_step",
        inputs=inputs(
            ("m", setting.microbatches, "micro batches"),
            ("each", each, "with every micro batch, ZeRO 3: gathers and scatters beyond a layer's work"),
        ),
        parts=(_once(setting, rates, stage, pace, value - setting.microbatches * each),),
        source="arXiv:1910.02054, section 7",
    )


def _once(setting: Setting, rates: Rates, stage: Stage, pace: StageTime, value: float) -> Derivation:
    """Gradients after the last micro batch, and weights before the first, as far as one's work does not hide them."""
    zero, each_time = setting.strategy.zero_stage, gathers_each_time(setting)
    held, bucket = stage_parameters(setting, stage), cut_parameters(setting).largest(stage)
    moved = Parameters(bucket) if each_time else held
    rows: list[tuple[str, float, str]] = []
    if each_time:
        formula = f"{GRADIENTS} + {WEIGHTS}"
    else:
        hidden = rates.calibration.hidden_share if setting.practice.overlap_dp else 0.0
        rows = [
            ("last", min(1.0, bucket / held.total), "share of it that waits for the last layer's gradients"),
            ("hidden", hidden, "calibration: hidden_share, where work may hide it"),
            ("backward", pace.backward, "seconds of the stage's last micro batch backward"),
        ]
        formula = f"max(last * {GRADIENTS}, {GRADIENTS} - hidden * backward)"
        if zero == 0:
            formula = f"max(2 * last * {GRADIENTS}, 2 * {GRADIENTS} - hidden * backward)"
        else:
            rows.append(("forward", pace.forward, "seconds of its first one forward"))
            formula += f" + max(0, {WEIGHTS} - hidden * forward)"
    weight = 2 if setting.practice.kept.master_only else FORMAT_BYTES[setting.practice.weights]
    gradients = _exchange(
        setting, rates, moved, FORMAT_BYTES[setting.practice.reduced], GRADIENTS, "gradients"
    )
    weights = _exchange(setting, rates, moved, weight, WEIGHTS, "weights")
    return Derivation(
        name="once_a_step",
        meaning="gradients after the last micro batch" + (", weights before the first" if zero else ""),
        unit="s",
        value=value,
        formula=formula,
        inputs=inputs(*rows),
        parts=(gradients, weights) if zero else (gradients,),
        source="planning/cost/seconds/copies.py; an all-reduce is a scatter and a gather",
    )


def _exchange(
    setting: Setting, rates: Rates, held: Parameters, each: int, name: str, what: str
) -> Derivation:
    """A scatter or a gather in a ring among those that hold the same; experts have a ring of their own."""
    rows: list[tuple[str, float, str]] = [("each", each, f"bytes of one of the {what} as it travels")]
    terms, seconds = [], 0.0
    for kind, count, group in _groups(setting, rates, held):
        bandwidth, latency = rates.ring(group) if group.ranks > 1 else (rates.link, 0.0)
        rows += [
            (kind, count, f"{what} that a rank holds of what they share"),
            (f"{kind}_ranks", group.ranks, "ranks that hold the same"),
            (f"{kind}_bandwidth", bandwidth, "bytes/s of a ring among them"),
            (f"{kind}_latency", latency, "seconds beside the bytes"),
        ]
        terms.append(f"each * {kind} * ({kind}_ranks - 1) / {kind}_ranks / {kind}_bandwidth + {kind}_latency")
        seconds += gather_s(rates, each * count, group)
    return Derivation(
        name=name,
        meaning=f"the stage's {what} scattered, or gathered, among its copies",
        unit="s",
        value=seconds,
        formula=" + ".join(terms),
        inputs=inputs(*rows),
        source="arXiv:1909.09756, section 2",
    )


def _groups(setting: Setting, rates: Rates, held: Parameters) -> Iterator[tuple[str, int, Group]]:
    degrees = setting.strategy.degrees
    copies = degrees.dp * degrees.cp
    yield "shared", held.shared, rates.group(copies, degrees.tp)
    if held.experts:
        ranks = max(1, copies * degrees.tp // degrees.ep)
        yield "experts", held.experts, rates.group(ranks, degrees.ep)
