"""Derivations of a step's seconds, term by term, as its slowest stage sees it."""

from collections.abc import Iterator

from l3_modeltools.planning.cost.bytes.parameters import stage_parameters
from l3_modeltools.planning.cost.bytes.place import KINDS, stages_of
from l3_modeltools.planning.cost.bytes.states import sharing_of
from l3_modeltools.planning.cost.seconds.layer import LayerTime, Part, layer_time
from l3_modeltools.planning.cost.seconds.rates import Rates
from l3_modeltools.planning.cost.seconds.stages import StageTime, stage_times
from l3_modeltools.planning.cost.seconds.step import ADAM_BYTES, StepTime, hand_over_of, time_of
from l3_modeltools.planning.cost.setting import Setting
from l3_modeltools.planning.explain.derivation import Derivation, Input
from l3_modeltools.planning.explain.layer import explain_products, explain_tensor_exchange
from l3_modeltools.planning.opinion import Site

__all__ = ["explain_step"]

BY_LAYER = {
    "products": ("matrix products, forward and backward", "tiles, waves and the best measured rate"),
    "attention": ("attention", "arXiv:2205.14135, section 3; arXiv:2407.08608, figures 5 and 6"),
    "elementwise": ("norms, activation functions, additions and casts", "bytes over memory bandwidth"),
    "idle": ("what the host takes longer to start kernels than they run", "calibration: launch_s"),
    "tensor_exchange": ("exchanges of the tensor-parallel group", "arXiv:2205.05198, section 4.2.2"),
    "expert_exchange": ("tokens to their experts and back", "arXiv:2006.16668, section 3.2"),
    "context_exchange": ("keys and values that no attention hides", "arXiv:2310.01889"),
}
"""Terms that are a sum over layers and micro batches: what they are, and who says so."""


def explain_step(setting: Setting, site: Site) -> Derivation:
    """Derive the seconds of a step. Raises UnsatisfiableError for a number format that the device has no peak of."""
    step = time_of(setting, site.machine, site.device, site.calibration)
    rates = Rates.of(site.machine, site.device, setting.practice, site.calibration)
    stages = stage_times(setting, rates)
    slowest = max(range(len(stages)), key=lambda p: stages[p].total)
    terms = tuple(_terms(setting, site, rates, step, stages, slowest))
    return Derivation(
        name="step",
        meaning=f"a step, as stage {slowest} sees it, which is the slowest",
        unit="s",
        value=step.total,
        formula=" + ".join(term.name for term in terms),
        parts=terms,
    )


def _terms(
    setting: Setting,
    site: Site,
    rates: Rates,
    step: StepTime,
    stages: tuple[StageTime, ...],
    slowest: int,
) -> Iterator[Derivation]:
    pace, batches = stages[slowest], Input(symbol="m", value=setting.microbatches, meaning="micro batches")
    stage = stages_of(setting)[slowest]
    layers = {kind: layer_time(setting, rates, KINDS[kind]) for kind in range(3) if stage.count(kind)}
    for name, (meaning, source) in BY_LAYER.items():
        parts = tuple(_layer(setting, rates, name, kind, layer) for kind, layer in layers.items())
        counts = tuple(
            Input(symbol=f"n_{KINDS[kind]}", value=stage.count(kind), meaning=f"{KINDS[kind]} layers")
            for kind in layers
        )
        sums = " + ".join(f"{count.symbol} * {part.name}" for count, part in zip(counts, parts, strict=True))
        yield Derivation(
            name=name,
            meaning=meaning,
            unit="s",
            value=getattr(step, name),
            formula=f"m * ({sums})",
            inputs=(batches, *counts),
            parts=parts,
            source=source,
        )
    yield _each(
        batches, "recompute", "what is made again", step.recompute, pace.recompute, "arXiv:1604.06174"
    )
    yield _each(batches, "output", "the last product and the loss", step.output, pace.output, "")
    yield Derivation(
        name="copies",
        meaning="exchanges between copies that no work hides",
        unit="s",
        value=step.copies,
        formula="m * each + once",
        inputs=(
            batches,
            Input(symbol="each", value=pace.copies, meaning="with every micro batch (ZeRO 3)"),
            Input(
                symbol="once", value=step.copies - setting.microbatches * pace.copies, meaning="once a step"
            ),
        ),
        source="arXiv:1910.02054, section 7; rings as in arXiv:1909.09756, section 2",
    )
    yield _hand_over(setting, rates, step, batches)
    yield _bubble(setting, step, stages, slowest)
    yield _optimizer(setting, rates, step, slowest)
    yield Derivation(
        name="stragglers",
        meaning="waiting for the slowest of all nodes",
        unit="s",
        value=step.stragglers,
        formula="share * log2(nodes) * work",
        inputs=(
            Input(symbol="share", value=site.calibration.straggler_share, meaning="calibration"),
            Input(symbol="nodes", value=site.machine.nodes, meaning="nodes of the machine"),
            Input(symbol="work", value=step.total - step.stragglers - step.rest, meaning="all terms before"),
        ),
        source="calibration: straggler_share",
    )
    yield Derivation(
        name="rest",
        meaning="what a step takes beside all that is counted",
        unit="s",
        value=step.rest,
        formula="step_s",
        inputs=(Input(symbol="step_s", value=site.calibration.step_s, meaning="calibration"),),
        source="calibration: step_s",
    )


def _layer(setting: Setting, rates: Rates, name: str, kind: int, layer: LayerTime) -> Derivation:
    """A layer's part of a term; products and their exchanges down to the shapes of matrices."""
    part: Part = getattr(layer, name)
    label = f"{KINDS[kind]}_{name}"
    if name == "products":
        return explain_products(setting, rates, KINDS[kind], label)
    if name == "tensor_exchange":
        return explain_tensor_exchange(setting, rates, KINDS[kind], label, part)
    return Derivation(
        name=label,
        meaning=f"of a {KINDS[kind]} layer and a micro batch",
        unit="s",
        value=part.both,
        formula="forward + backward",
        inputs=(
            Input(symbol="forward", value=part.forward, meaning="seconds forward"),
            Input(symbol="backward", value=part.backward, meaning="seconds backward"),
        ),
    )


def _each(batches: Input, name: str, meaning: str, value: float, each: float, source: str) -> Derivation:
    one = Input(symbol="each", value=each, meaning="of the slowest stage and a micro batch")
    return Derivation(
        name=name,
        meaning=meaning,
        unit="s",
        value=value,
        formula="m * each",
        inputs=(batches, one),
        source=source,
    )


def _hand_over(setting: Setting, rates: Rates, step: StepTime, batches: Input) -> Derivation:
    degrees = setting.strategy.degrees
    hidden = degrees.vp > 1 and setting.practice.overlap_pp
    return Derivation(
        name="hand_over",
        meaning="activations to the next stage, and their gradients back",
        unit="s",
        value=step.hand_over,
        formula="(pp * vp - 1) * one" if hidden or degrees.pp == 1 else "(pp - 1 + (m - 1) * vp) * one",
        inputs=(
            batches,
            Input(symbol="pp", value=degrees.pp, meaning="pipeline stages"),
            Input(symbol="vp", value=degrees.vp, meaning="virtual stages of each"),
            Input(symbol="one", value=hand_over_of(setting, rates), meaning="there and back, a micro batch"),
        ),
        source="arXiv:2104.04473, section 2.2; virtual stages work meanwhile",
    )


def _bubble(setting: Setting, step: StepTime, stages: tuple[StageTime, ...], slowest: int) -> Derivation:
    zero = setting.strategy.pipeline.schedule == "zero_bubble"
    others = [one for p, one in enumerate(stages) if p != slowest]
    waited = sum(max(0.0, one.total - 2 * one.weight_gradients * zero) for one in others)
    return Derivation(
        name="bubble",
        meaning="waiting for the other stages to begin and to end",
        unit="s",
        value=step.bubble,
        formula="others / vp",
        inputs=(
            Input(symbol="others", value=waited, meaning="one micro batch on all other stages"),
            Input(symbol="vp", value=setting.strategy.degrees.vp, meaning="virtual stages of each"),
        ),
        source="arXiv:2401.10241, section 2.3" if zero else "arXiv:2104.04473, section 2.2",
    )


def _optimizer(setting: Setting, rates: Rates, step: StepTime, slowest: int) -> Derivation:
    held, sharing = stage_parameters(setting, stages_of(setting)[slowest]), sharing_of(setting)
    shared = setting.strategy.zero_stage > 0
    count = sharing.share(held, ADAM_BYTES) if shared else ADAM_BYTES * held.total
    return Derivation(
        name="optimizer",
        meaning="AdamW over a rank's share of the parameters",
        unit="s",
        value=step.optimizer,
        formula="bytes / memory",
        inputs=(
            Input(
                symbol="bytes", value=count, meaning=f"{ADAM_BYTES} for each parameter that a rank updates"
            ),
            Input(symbol="memory", value=rates.memory, meaning="bytes/s of the device's memory"),
        ),
        source="arXiv:1711.05101; bytes over memory bandwidth",
    )
