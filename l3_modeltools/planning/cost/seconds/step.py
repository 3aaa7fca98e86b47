"""Seconds of a training step: what every stage does, how stages wait for each other, what copies exchange."""

from dataclasses import dataclass, fields

from l0_infra.schemas import Device
from l3_modeltools.architectures import count_parameters
from l3_modeltools.planning.cost.seconds.exchange import gather_s, hand_over_s
from l3_modeltools.planning.cost.seconds.kernels import matmul_s, passes_s
from l3_modeltools.planning.cost.seconds.layer import LayerTime, layer_time
from l3_modeltools.planning.cost.seconds.rates import Rates
from l3_modeltools.planning.cost.setting import FORMAT_BYTES, Setting
from l3_modeltools.schemas import Calibration, Machine

__all__ = ["StepTime", "time_of"]

LOSS_PASSES = 10
"""Times the logits are read or written, as 16-bit numbers: two copies in fp32 forward, one backward."""

ADAM_BYTES = 36
"""Read and written for each parameter that AdamW updates: weight, gradient and both moments in fp32, and a copy."""

ALTERNATE = 0.5
"""Share of a layer's products that are made again when every second one is kept."""


@dataclass(frozen=True, kw_only=True, slots=True)
class StepTime:
    """Seconds of a step as its slowest stage sees it."""

    products: float
    attention: float
    elementwise: float
    idle: float
    tensor_exchange: float
    recompute: float
    output: float
    copies: float
    """Exchanges between copies that no work hides."""
    hand_over: float
    bubble: float
    optimizer: float
    rest: float

    @property
    def total(self) -> float:
        """All of it."""
        return sum(value for _, value in self.named())

    def named(self) -> tuple[tuple[str, float], ...]:
        """Every term with its name, in the order of the declaration."""
        return tuple((field.name, getattr(self, field.name)) for field in fields(self))


def time_of(setting: Setting, machine: Machine, device: Device, calibration: Calibration) -> StepTime:
    """Work out a step. Raises UnsatisfiableError for a number format that the device has no peak of.

    Stages take turns as in arXiv:2104.04473, section 2.2: the slowest sets the pace of all micro batches but the
    first, which passes through every stage; with vp virtual stages that way is vp times shorter.
    """
    rates = Rates.of(machine, device, setting.practice, calibration)
    one, degrees, count = layer_time(setting, rates), setting.strategy.degrees, setting.microbatches
    again = _again(setting, one)
    shown = _shown(setting, rates, one.forward + one.backward + again)
    layer = one.forward + one.backward + again + shown
    stages = [sum(row[p] for row in setting.stages) for p in range(degrees.pp)]
    output, over = _output(setting, rates), _hand_over(setting, rates)
    work = [held * layer + (output if p == degrees.pp - 1 else 0.0) for p, held in enumerate(stages)]
    slowest = max(range(degrees.pp), key=lambda p: work[p])
    held, last = stages[slowest] * count, count if slowest == degrees.pp - 1 else 0
    through = sum(work[p] for p in range(degrees.pp) if p != slowest)
    return StepTime(
        products=held * (one.products.forward + one.products.backward),
        attention=held * (one.attention.forward + one.attention.backward),
        elementwise=held * (one.elementwise.forward + one.elementwise.backward),
        idle=held * (one.idle.forward + one.idle.backward),
        tensor_exchange=held * (one.exchange.forward + one.exchange.backward),
        recompute=held * again,
        output=last * output,
        copies=held * shown + _reduction(setting, rates),
        hand_over=(count - 1 + degrees.pp - 1) * over if degrees.pp > 1 else 0.0,
        bubble=through / degrees.vp,
        optimizer=_optimizer(setting, rates),
        rest=calibration.step_s,
    )


def _again(setting: Setting, one: LayerTime) -> float:
    """What a layer makes again before its backward pass."""
    mode = setting.strategy.recompute.mode
    if mode == "none":
        return 0.0
    if mode == "full":
        return one.forward
    if setting.practice.selective_keeps == "every_second_product":
        return ALTERNATE * one.products.forward + one.elementwise.forward
    return one.attention.forward


def _layer_parameters(setting: Setting) -> float:
    """Parameters of a layer on one rank, before copies share them."""
    count, architecture = count_parameters(setting.architecture), setting.architecture
    inner = count.total - count.embedding - count.positions - count.output
    return inner / architecture.num_hidden_layers / setting.strategy.degrees.tp


def _copies(setting: Setting) -> tuple[int, int]:
    """How many ranks share a layer's parameters, and among how many neighbouring ones they are found."""
    degrees = setting.strategy.degrees
    return degrees.dp * degrees.cp, degrees.dp * degrees.cp * degrees.tp


def _shown(setting: Setting, rates: Rates, work: float) -> float:
    """ZeRO 3: what gathering a layer's weights twice and scattering its gradients takes longer than its work."""
    if setting.strategy.zero_stage < 3:
        return 0.0
    bytes_each = 2 * _layer_parameters(setting)
    ranks, spread = _copies(setting)
    exchange = 3 * gather_s(rates, bytes_each, ranks, spread)
    hidden = rates.calibration.hidden_share * work if setting.practice.overlap_dp else 0.0
    return max(0.0, exchange - hidden)


def _reduction(setting: Setting, rates: Rates) -> float:
    """Gradients added up over copies once a step, and what ZeRO 1 and 2 gather of the weights after it."""
    if setting.strategy.zero_stage == 3:
        return 0.0
    degrees, ranks_spread = setting.strategy.degrees, _copies(setting)
    held = max(sum(row[p] for row in setting.stages) for p in range(degrees.pp)) * _layer_parameters(setting)
    held += setting.vocabulary * setting.architecture.hidden_size / degrees.tp
    each = FORMAT_BYTES[setting.practice.reduced]
    return gather_s(rates, each * held, *ranks_spread) + gather_s(rates, 2 * held, *ranks_spread)


def _output(setting: Setting, rates: Rates) -> float:
    """The output's product, forward and backward, and the loss over its logits."""
    hidden, tokens = setting.architecture.hidden_size, setting.micro_tokens
    columns = setting.vocabulary / setting.strategy.degrees.tp
    products = (
        matmul_s(rates, tokens, columns, hidden, plain=True)
        + matmul_s(rates, tokens, hidden, columns, plain=True)
        + matmul_s(rates, hidden, columns, tokens, plain=True)
    )
    passes = LOSS_PASSES * (0.4 if setting.practice.fused_loss else 1.0)
    return products + passes_s(rates, passes * tokens * columns)


def _hand_over(setting: Setting, rates: Rates) -> float:
    """Activations forward and their gradients backward between two stages, each tp rank its share."""
    degrees = setting.strategy.degrees
    if degrees.pp == 1:
        return 0.0
    stream = 2 * setting.micro_tokens * setting.architecture.hidden_size / degrees.tp
    return 2 * hand_over_s(rates, stream, degrees.world_size)


def _optimizer(setting: Setting, rates: Rates) -> float:
    degrees = setting.strategy.degrees
    held = max(sum(row[p] for row in setting.stages) for p in range(degrees.pp)) * _layer_parameters(setting)
    share = _copies(setting)[0] if setting.strategy.zero_stage else 1
    return ADAM_BYTES * held / share / rates.memory
