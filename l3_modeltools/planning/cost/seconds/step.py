"""Seconds of a training step: what every stage does, how stages wait for each other, what copies exchange."""

from dataclasses import dataclass, fields
from math import log2

from l0_infra.schemas import Device
from l3_modeltools.planning.cost.bytes.parameters import Parameters, stage_parameters
from l3_modeltools.planning.cost.bytes.place import stages_of
from l3_modeltools.planning.cost.bytes.states import sharing_of
from l3_modeltools.planning.cost.seconds.copies import reduction_s
from l3_modeltools.planning.cost.seconds.played import hand_over_of, played_s
from l3_modeltools.planning.cost.seconds.rates import Rates
from l3_modeltools.planning.cost.seconds.stages import StageTime, stage_times
from l3_modeltools.planning.cost.setting import Setting
from l3_modeltools.schemas import Calibration, Machine

__all__ = ["StepTime", "optimizer_s", "time_of"]

ADAM_BYTES = 36
"""Read and written for each parameter that AdamW updates: weight, gradient and both moments in fp32, and a copy."""


@dataclass(frozen=True, kw_only=True, slots=True)
class StepTime:
    """Seconds of a step as its slowest stage sees it."""

    products: float
    attention: float
    elementwise: float
    idle: float
    tensor_exchange: float
    expert_exchange: float
    context_exchange: float
    recompute: float
    output: float
    copies: float
    """Exchanges between copies that no work hides."""
    hand_over: float
    bubble: float
    uneven: float
    """What virtual stages of unlike length wait for each other beside the bubble."""
    optimizer: float
    stragglers: float
    rest: float

    @property
    def total(self) -> float:
        """All of it."""
        return sum(value for _, value in self.named())

    def named(self) -> tuple[tuple[str, float], ...]:
        """Every term with its name, in the order of the declaration."""
        return tuple((field.name, getattr(self, field.name)) for field in fields(self))


def time_of(
    setting: Setting, machine: Machine, device: Device, calibration: Calibration, *, played: bool = True
) -> StepTime:
    """Work out a step. Raises UnsatisfiableError for a number format that the device has no peak of.

    Stages take turns as in arXiv:2104.04473, section 2.2: the slowest sets the pace of all micro batches but the
    first, which passes through every stage; with vp virtual stages that way is vp times shorter. Where virtual stages
    hold each other up the schedule is played, unless `played` is false: a step is then at least as long as it says.
    """
    rates = Rates.of(machine, device, setting.practice, calibration)
    stages, count = stage_times(setting, rates), setting.microbatches
    slowest = max(range(len(stages)), key=lambda p: stages[p].total)
    pace, stage = stages[slowest], stages_of(setting)[slowest]
    copies = reduction_s(setting, rates, stage, pace.forward, pace.backward)
    hand_over, bubble = _hand_over(setting, rates), _bubble(setting, stages, slowest)
    optimizer = optimizer_s(setting, rates, stage_parameters(setting, stage))
    turns = count * pace.total + hand_over + bubble
    uneven = max(0.0, (played_s(setting, rates) or 0.0) - turns) if played else 0.0
    work = turns + uneven + copies + optimizer
    return StepTime(
        products=count * pace.products,
        attention=count * pace.attention,
        elementwise=count * pace.elementwise,
        idle=count * pace.idle,
        tensor_exchange=count * pace.tensor_exchange,
        expert_exchange=count * pace.expert_exchange,
        context_exchange=count * pace.context_exchange,
        recompute=count * pace.recompute,
        output=count * pace.output,
        copies=count * pace.copies + copies,
        hand_over=hand_over,
        bubble=bubble,
        uneven=uneven,
        optimizer=optimizer,
        stragglers=calibration.straggler_share * log2(machine.nodes) * work,
        rest=calibration.step_s,
    )


def _bubble(setting: Setting, stages: tuple[StageTime, ...], slowest: int) -> float:
    """What the slowest stage waits for the others to begin and to end.

    With a zero-bubble schedule they put off their weights' gradients, twice over (arXiv:2401.10241, section 2.3).
    """
    degrees, others = setting.strategy.degrees, [one for p, one in enumerate(stages) if p != slowest]
    if setting.strategy.pipeline.schedule == "zero_bubble":
        return sum(max(0.0, one.total - 2 * one.weight_gradients) for one in others) / degrees.vp
    return sum(one.total for one in others) / degrees.vp


def _hand_over(setting: Setting, rates: Rates) -> float:
    """Activations forward and their gradients backward between two stages, each tp rank its share.

    Stages in turn wait for both; virtual stages have other work meanwhile, but for the way of the first micro batch
    through all of them, as a simulation of the turns shows.
    """
    degrees = setting.strategy.degrees
    one = hand_over_of(setting, rates)
    first = (degrees.pp - 1) * one
    if degrees.vp > 1 and setting.practice.overlap_pp:
        return (degrees.pp * degrees.vp - 1) * one
    return first + (setting.microbatches - 1) * degrees.vp * one


def optimizer_s(setting: Setting, rates: Rates, held: Parameters) -> float:
    """Every parameter that a rank updates passes through memory."""
    if setting.strategy.zero_stage == 0:
        return ADAM_BYTES * held.total / rates.memory
    return sharing_of(setting).share(held, ADAM_BYTES) / rates.memory
