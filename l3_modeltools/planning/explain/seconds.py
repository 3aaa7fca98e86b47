"""Derivations of a step's seconds, term by term, as its slowest stage sees it."""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass

from l3_modeltools.planning.cost.bytes.parameters import stage_parameters
from l3_modeltools.planning.cost.bytes.place import KINDS, Kind, Stage, stages_of
from l3_modeltools.planning.cost.bytes.states import sharing_of
from l3_modeltools.planning.cost.seconds.layer import LayerTime, layer_time
from l3_modeltools.planning.cost.seconds.rates import Rates
from l3_modeltools.planning.cost.seconds.stages import StageTime, stage_times
from l3_modeltools.planning.cost.seconds.step import ADAM_BYTES, StepTime, time_of
from l3_modeltools.planning.cost.setting import Setting
from l3_modeltools.planning.explain.again import explain_recompute
from l3_modeltools.planning.explain.copies import explain_copies
from l3_modeltools.planning.explain.derivation import Derivation, inputs
from l3_modeltools.planning.explain.exchanges import (
    explain_context_exchange,
    explain_expert_exchange,
    explain_hand_over,
    explain_tensor_exchange,
)
from l3_modeltools.planning.explain.passes import explain_attention, explain_elementwise, explain_idle
from l3_modeltools.planning.explain.products import explain_output, explain_products
from l3_modeltools.planning.explain.waits import explain_bubble, explain_uneven
from l3_modeltools.planning.opinion import Site

__all__ = ["explain_step"]


@dataclass(frozen=True, slots=True)
class Way:
    """How a term that is a sum over layers and micro batches is derived: what it is, who says so, a layer's part."""

    meaning: str
    source: str
    layer: Callable[[Setting, Rates, Kind, str, LayerTime], Derivation]


def _products(setting: Setting, rates: Rates, kind: Kind, label: str, layer: LayerTime) -> Derivation:
    return explain_products(setting, rates, kind, label)


BY_LAYER: Mapping[str, Way] = {
    "products": Way(
        "matrix products, forward and backward", "tiles, waves and the best measured rate", _products
    ),
    "attention": Way("attention, forward and backward", "arXiv:2205.14135, section 3", explain_attention),
    "elementwise": Way(
        "norms, activation functions, additions and casts", "bytes over memory bandwidth", explain_elementwise
    ),
    "idle": Way(
        "what the host takes longer to start kernels than they run", "calibration: launch_s", explain_idle
    ),
    "tensor_exchange": Way(
        "exchanges of the tensor-parallel group", "arXiv:2205.05198, section 4.2.2", explain_tensor_exchange
    ),
    "expert_exchange": Way(
        "tokens to their experts and back", "arXiv:2006.16668, section 3.2", explain_expert_exchange
    ),
    "context_exchange": Way(
        "keys and values that no attention hides", "arXiv:2310.01889", explain_context_exchange
    ),
}


@dataclass(frozen=True, kw_only=True, slots=True)
class _Step:
    """What all terms are derived from."""

    setting: Setting
    site: Site
    rates: Rates
    time: StepTime
    stages: tuple[StageTime, ...]
    slowest: int

    @property
    def pace(self) -> StageTime:
        return self.stages[self.slowest]

    @property
    def stage(self) -> Stage:
        return stages_of(self.setting)[self.slowest]

    @property
    def batches(self) -> tuple[str, int, str]:
        return "m", self.setting.microbatches, "micro batches"


def explain_step(setting: Setting, site: Site) -> Derivation:
    """Derive the seconds of a step. Raises UnsatisfiableError for a number format that the device has no peak of."""
    time = time_of(setting, site.machine, site.device, site.calibration)
    rates = Rates.of(site.machine, site.device, setting.practice, site.calibration)
    stages = stage_times(setting, rates)
    slowest = max(range(len(stages)), key=lambda p: stages[p].total)
    known = _Step(setting=setting, site=site, rates=rates, time=time, stages=stages, slowest=slowest)
    terms = {part.name: part for part in _terms(known)}
    parts = tuple(terms[name] for name, _ in time.named())
    seen = f", as stage {slowest} sees it, which is the slowest" if len(stages) > 1 else ""
    return Derivation(
        name="step",
        meaning=f"a step{seen}",
        unit="s",
        value=time.total,
        formula=" + ".join(part.name for part in parts),
        parts=parts,
    )


def _terms(known: _Step) -> Iterator[Derivation]:
    setting, time, pace = known.setting, known.time, known.pace
    kinds = [kind for kind in range(len(KINDS)) if known.stage.count(kind)]
    layers = {KINDS[kind]: layer_time(setting, known.rates, KINDS[kind]) for kind in kinds}
    yield from (_by_layer(known, name, way, layers) for name, way in BY_LAYER.items())
    yield explain_recompute(setting, known.stage, layers, time.recompute)
    yield Derivation(
        name="output",
        meaning="the last product and the loss",
        unit="s",
        value=time.output,
        formula="m * output_each",
        inputs=inputs(known.batches),
        parts=(explain_output(setting, known.rates, pace.output),),
        source="arXiv:2205.05198, section 4.3",
    )
    yield explain_copies(setting, known.rates, known.stage, pace, time.copies)
    yield explain_hand_over(setting, known.rates, time.hand_over)
    yield explain_bubble(setting, known.rates, known.stages, known.slowest, time.bubble)
    yield explain_uneven(time, setting.microbatches, pace)
    yield _optimizer(known)
    yield from _allowances(known)


def _by_layer(known: _Step, name: str, way: Way, layers: Mapping[Kind, LayerTime]) -> Derivation:
    parts = tuple(
        way.layer(known.setting, known.rates, kind, f"{kind}_{name}", layer) for kind, layer in layers.items()
    )
    counts = [
        (f"n_{kind}", known.stage.count(KINDS.index(kind)), f"{kind} layers of the stage") for kind in layers
    ]
    sums = " + ".join(f"{count[0]} * {part.name}" for count, part in zip(counts, parts, strict=True))
    return Derivation(
        name=name,
        meaning=way.meaning,
        unit="s",
        value=getattr(known.time, name),
        formula=f"m * ({sums})",
        inputs=inputs(known.batches, *counts),
        parts=parts,
        source=way.source,
    )


def _optimizer(known: _Step) -> Derivation:
    held, sharing = stage_parameters(known.setting, known.stage), sharing_of(known.setting)
    shared = known.setting.strategy.zero_stage > 0
    count = sharing.share(held, ADAM_BYTES) if shared else ADAM_BYTES * held.total
    return Derivation(
        name="optimizer",
        meaning="AdamW over a rank's share of the parameters",
        unit="s",
        value=known.time.optimizer,
        formula="bytes / memory",
        inputs=inputs(
            ("bytes", count, f"{ADAM_BYTES} for each parameter that a rank updates"),
            ("memory", known.rates.memory, "bytes/s of the device's memory, times memory_share"),
        ),
        source="arXiv:1711.05101; bytes over memory bandwidth",
    )


def _allowances(known: _Step) -> Iterator[Derivation]:
    time, figures = known.time, known.site.calibration
    yield Derivation(
        name="stragglers",
        meaning="waiting for the slowest of all nodes",
        unit="s",
        value=time.stragglers,
        formula="share * log2(nodes) * work",
        inputs=inputs(
            ("share", figures.straggler_share, "calibration: straggler_share"),
            ("nodes", known.site.machine.nodes, "nodes of the machine"),
            ("work", time.total - time.stragglers - time.rest, "all terms before"),
        ),
        source="calibration: straggler_share",
    )
    yield Derivation(
        name="rest",
        meaning="what a step takes beside all that is counted",
        unit="s",
        value=time.rest,
        formula="step_s",
        inputs=inputs(("step_s", figures.step_s, "calibration: step_s")),
        source="calibration: step_s",
    )
