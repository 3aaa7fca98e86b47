"""Seconds of one layer and one micro batch on one rank, forward, backward and made again, by what is done."""

from dataclasses import dataclass

from l3_modeltools.architectures import pieces
from l3_modeltools.planning.cost.seconds.exchange import gather_s
from l3_modeltools.planning.cost.seconds.kernels import (
    flash_attention_s,
    matmul_s,
    passes_s,
    unfused_attention_s,
)
from l3_modeltools.planning.cost.seconds.rates import Rates
from l3_modeltools.planning.cost.setting import Setting

__all__ = ["LayerTime", "layer_time", "products_of"]

HALF = 2


@dataclass(frozen=True, kw_only=True, slots=True)
class Part:
    """Seconds forward and backward."""

    forward: float
    backward: float


@dataclass(frozen=True, kw_only=True, slots=True)
class LayerTime:
    """Seconds of a layer and a micro batch; `idle` is what the host takes longer to start kernels than they run."""

    products: Part
    attention: Part
    elementwise: Part
    exchange: Part
    idle: Part

    @property
    def forward(self) -> float:
        """All of the forward pass."""
        parts = (self.products, self.attention, self.elementwise, self.exchange, self.idle)
        return sum(part.forward for part in parts)

    @property
    def backward(self) -> float:
        """All of the backward pass, without what is made again."""
        parts = (self.products, self.attention, self.elementwise, self.exchange, self.idle)
        return sum(part.backward for part in parts)


def layer_time(setting: Setting, rates: Rates) -> LayerTime:
    """Work out a dense layer, or one with experts as if each token's experts were dense and evenly chosen."""
    products = [_product(rates, *shape) for shape in products_of(setting)]
    computed = (
        Part(forward=sum(one.forward for one in products), backward=sum(one.backward for one in products)),
        _attention(setting, rates),
        _elementwise(setting, rates),
    )
    figures = rates.calibration
    forward, backward = (sum(getattr(one, way) for one in computed) for way in ("forward", "backward"))
    idle = Part(
        forward=max(0.0, figures.kernels_forward * figures.launch_s - forward),
        backward=max(0.0, figures.kernels_backward * figures.launch_s - backward),
    )
    return LayerTime(
        products=computed[0],
        attention=computed[1],
        elementwise=computed[2],
        exchange=_exchange(setting, rates),
        idle=idle,
    )


def products_of(setting: Setting) -> tuple[tuple[float, float, float], ...]:
    """Shapes (m, n, k) of a layer's forward products on one rank, the inner widths cut by tp."""
    architecture, tp = setting.architecture, setting.strategy.degrees.tp
    hidden, tokens = architecture.hidden_size, float(setting.micro_tokens)
    value = architecture.attention.num_attention_heads * pieces.head_sizes(architecture)[1] / tp
    into = pieces.attention_matrices(architecture) / hidden / tp - value
    width, gates = _inner_width(setting) / tp, 2 if architecture.mlp.gated else 1
    return (
        (tokens, into, hidden),
        (tokens, hidden, value),
        (tokens, gates * width, hidden),
        (tokens, hidden, width),
    )


def _inner_width(setting: Setting) -> float:
    experts = setting.architecture.experts
    if experts is None:
        return float(setting.architecture.mlp.intermediate_size)
    return float((experts.num_experts_per_tok + experts.n_shared_experts) * experts.moe_intermediate_size)


def _product(rates: Rates, m: float, n: float, k: float) -> Part:
    """A product forward, and the two of its backward pass: by the input and by the weight."""
    return Part(
        forward=matmul_s(rates, m, n, k), backward=matmul_s(rates, m, k, n) + matmul_s(rates, k, n, m)
    )


def _attention(setting: Setting, rates: Rates) -> Part:
    architecture, degrees = setting.architecture, setting.strategy.degrees
    heads, size = (
        architecture.attention.num_attention_heads / degrees.tp,
        sum(pieces.head_sizes(architecture)) / 2,
    )
    if setting.practice.flash_attention:
        forward, backward = flash_attention_s(
            rates, tokens=setting.micro_tokens, keys=setting.sequence_length, heads=heads, size=size
        )
    else:
        forward, backward = unfused_attention_s(
            rates,
            sequences=setting.strategy.micro_batch_size / degrees.cp,
            length=setting.sequence_length,
            heads=heads,
            size=size,
        )
    return Part(forward=forward, backward=backward)


def _elementwise(setting: Setting, rates: Rates) -> Part:
    """Norms and additions pass over the stream, the activation function over the inner width, rotations over heads."""
    architecture, degrees, figures = setting.architecture, setting.strategy.degrees, rates.calibration
    stream = architecture.hidden_size / (degrees.tp if degrees.sequence_parallel else 1)
    inner = _inner_width(setting) / degrees.tp * (3 if architecture.mlp.gated else 2)
    heads = products_of(setting)[0][1]
    numbers = setting.micro_tokens * (figures.passes_forward * stream + inner + heads)
    if not setting.practice.fused_elementwise:
        numbers *= figures.unfused_passes
    forward = passes_s(rates, numbers)
    return Part(forward=forward, backward=figures.passes_backward * forward)


def _exchange(setting: Setting, rates: Rates) -> Part:
    """Two all-reduces of the stream each way, or as many gathers and scatters; with the sequence cut one more gather.

    arXiv:1909.08053, section 3; arXiv:2205.05198, section 4.2.2. Hidden ones cost what their products do not cover,
    for which a half is taken.
    """
    degrees = setting.strategy.degrees
    stream = HALF * setting.micro_tokens * setting.architecture.hidden_size
    one = gather_s(rates, stream, degrees.tp, degrees.tp)
    shown = 0.5 if setting.practice.overlap_tp else 1.0
    return Part(forward=4 * shown * one, backward=(5 if degrees.sequence_parallel else 4) * shown * one)
