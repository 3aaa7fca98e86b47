"""Seconds of one layer and one micro batch on one rank, forward, backward and made again, by what is done."""

from collections.abc import Iterator
from dataclasses import dataclass, fields

from l3_modeltools.architectures import pieces
from l3_modeltools.planning.cost.bytes.place import Kind
from l3_modeltools.planning.cost.seconds.exchange import all_to_all_s, gather_s
from l3_modeltools.planning.cost.seconds.kernels import (
    flash_attention_s,
    grouped_matmul_s,
    matmul_s,
    passes_s,
    unfused_attention_s,
)
from l3_modeltools.planning.cost.seconds.rates import Rates
from l3_modeltools.planning.cost.setting import Setting
from l3_modeltools.schemas import Experts

__all__ = ["LayerTime", "Part", "Product", "layer_time", "products_of"]

HALF = 2

PERMUTED = 4
"""Times a token is read or written for each of its experts: dealt out and put together again."""

CAST = 2.0
"""Times an operand is read or written, as a 16-bit number, to scale and cast it to fp8."""

ALTERNATE = 0.5
"""Share of a layer's products that are made again when every second one is kept."""

SHOWN_TP = 0.5
"""Share of tensor-parallel exchanges that still shows where they run behind the products they feed."""


@dataclass(frozen=True, slots=True)
class Part:
    """Seconds forward and backward."""

    forward: float
    backward: float

    @property
    def both(self) -> float:
        """Both ways."""
        return self.forward + self.backward


@dataclass(frozen=True, slots=True)
class Product:
    """`many` forward products (m, k) x (k, n) of a layer on one rank; several are those of experts, in one kernel."""

    m: float
    n: float
    k: float
    many: float = 1.0


@dataclass(frozen=True, kw_only=True, slots=True)
class LayerTime:
    """Seconds of a layer and a micro batch; `idle` is what the host takes longer to start kernels than they run."""

    products: Part
    attention: Part
    elementwise: Part
    tensor_exchange: Part
    expert_exchange: Part
    context_exchange: Part
    idle: Part
    weight_gradients: float
    """Of the products backward, those by the weights: what a zero-bubble schedule puts off."""

    @property
    def forward(self) -> float:
        """All of the forward pass."""
        return sum(part.forward for part in self._parts())

    @property
    def backward(self) -> float:
        """All of the backward pass, without what is made again."""
        return sum(part.backward for part in self._parts())

    def again(self, setting: Setting, mode: str) -> float:
        """What is made again before the backward pass of a layer recomputed `full` or `selective`."""
        if mode == "full":
            return self.forward
        if setting.practice.selective_keeps == "every_second_product":
            return ALTERNATE * self.products.forward + self.elementwise.forward
        if setting.practice.selective_keeps == "all_but_activation":
            return self.elementwise.forward
        return self.attention.forward

    def _parts(self) -> Iterator[Part]:
        for one in fields(self):
            part = getattr(self, one.name)
            if isinstance(part, Part):
                yield part


def layer_time(setting: Setting, rates: Rates, kind: Kind) -> LayerTime:
    """Work out a layer of a kind; experts get equally many tokens."""
    shapes = products_of(setting, kind)
    products = [_product(rates, shape) for shape in shapes]
    computed = (
        Part(sum(one.forward for one, _ in products), sum(one.backward for one, _ in products)),
        _attention(setting, rates),
        _elementwise(setting, rates, kind, shapes),
    )
    figures = rates.calibration
    forward, backward = (sum(getattr(one, way) for one in computed) for way in ("forward", "backward"))
    idle = Part(
        max(0.0, figures.kernels_forward * figures.launch_s - forward),
        max(0.0, figures.kernels_backward * figures.launch_s - backward),
    )
    return LayerTime(
        products=computed[0],
        attention=computed[1],
        elementwise=computed[2],
        tensor_exchange=_tensor_exchange(setting, rates, kind),
        expert_exchange=_expert_exchange(setting, rates, kind),
        context_exchange=_context_exchange(setting, rates, computed[1], idle),
        idle=idle,
        weight_gradients=sum(weight for _, weight in products),
    )


def products_of(setting: Setting, kind: Kind = "dense") -> tuple[Product, ...]:
    """A layer's forward products on one rank, the inner widths cut by tp."""
    architecture, tp = setting.architecture, setting.strategy.degrees.tp
    hidden, tokens = architecture.hidden_size, float(setting.micro_tokens)
    value = architecture.attention.num_attention_heads * pieces.head_sizes(architecture)[1] / tp
    into = pieces.attention_matrices(architecture) / hidden / tp - value
    attention = (Product(tokens, into, hidden), Product(tokens, hidden, value))
    if kind == "further":
        inner = _feed_forward(setting, "sparse" if architecture.experts else "dense")
        return (Product(tokens, hidden / tp, 2 * hidden), *attention, *inner)
    return (*attention, *_feed_forward(setting, kind))


def _feed_forward(setting: Setting, kind: Kind) -> tuple[Product, ...]:
    architecture, experts = setting.architecture, setting.architecture.experts
    if kind == "dense" or experts is None:
        return _gated(setting, architecture.mlp.intermediate_size)
    shared = experts.n_shared_experts * experts.moe_intermediate_size
    hidden, gates = architecture.hidden_size, 2 if architecture.mlp.gated else 1
    many = experts.n_routed_experts / setting.strategy.degrees.ep
    each, width = _routed_tokens(setting, experts) / many, experts.moe_intermediate_size
    return (
        *(_gated(setting, shared) if shared else ()),
        Product(each, gates * width, hidden, many),
        Product(each, hidden, width, many),
    )


def _gated(setting: Setting, width: int) -> tuple[Product, ...]:
    hidden, tokens = setting.architecture.hidden_size, float(setting.micro_tokens)
    cut = width / setting.strategy.degrees.tp
    gates = 2 if setting.architecture.mlp.gated else 1
    return Product(tokens, gates * cut, hidden), Product(tokens, hidden, cut)


def _routed_tokens(setting: Setting, experts: Experts) -> float:
    """Tokens times experts of each that a rank computes; tensor-parallel ranks deal out a part of the tokens each."""
    return setting.micro_tokens * experts.num_experts_per_tok / setting.strategy.degrees.tp


def _product(rates: Rates, one: Product) -> tuple[Part, float]:
    """A product forward, and the two of its backward pass, by the input and by the weight; and the latter alone."""
    m, n, k = one.m, one.n, one.k
    if one.many > 1:
        weight = grouped_matmul_s(rates, one.many, k, n, m)
        inputs = grouped_matmul_s(rates, one.many, m, k, n)
        return Part(grouped_matmul_s(rates, one.many, m, n, k), inputs + weight), weight
    weight = matmul_s(rates, k, n, m)
    return Part(matmul_s(rates, m, n, k), matmul_s(rates, m, k, n) + weight), weight


def _attention(setting: Setting, rates: Rates) -> Part:
    architecture, degrees = setting.architecture, setting.strategy.degrees
    heads = architecture.attention.num_attention_heads / degrees.tp
    size = sum(pieces.head_sizes(architecture)) / 2
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
    return Part(forward, backward)


def _elementwise(setting: Setting, rates: Rates, kind: Kind, shapes: tuple[Product, ...]) -> Part:
    """Norms and additions pass over the stream, the activation function over the inner width, rotations over heads."""
    architecture, degrees, figures = setting.architecture, setting.strategy.degrees, rates.calibration
    stream = architecture.hidden_size / (degrees.tp if degrees.sequence_parallel else 1)
    passes = 3 if architecture.mlp.gated else 2
    experts = architecture.experts if kind != "dense" else None
    if experts is None:
        inner = architecture.mlp.intermediate_size / degrees.tp * passes
    else:
        width = (experts.num_experts_per_tok + experts.n_shared_experts) * experts.moe_intermediate_size
        inner = (
            width * passes + PERMUTED * experts.num_experts_per_tok * architecture.hidden_size
        ) / degrees.tp
    heads = shapes[1 if kind == "further" else 0].n
    numbers = setting.micro_tokens * (figures.passes_forward * stream + inner + heads)
    if not setting.practice.fused_elementwise:
        numbers *= figures.unfused_passes
    forward = passes_s(rates, numbers)
    cast = [0.0, 0.0]
    if setting.practice.compute == "fp8":
        cast = [
            passes_s(rates, CAST * sum(one.many * one.m * way for one, way in ways))
            for ways in _operands(shapes)
        ]
    return Part(forward + cast[0], figures.passes_backward * forward + cast[1])


def _operands(shapes: tuple[Product, ...]) -> Iterator[list[tuple[Product, float]]]:
    """Widths of what is cast for each product: its input forward, the gradient of its result backward."""
    yield [(one, one.k) for one in shapes]
    yield [(one, one.n) for one in shapes]


def _tensor_exchange(setting: Setting, rates: Rates, kind: Kind) -> Part:
    """Two all-reduces of the stream each way, or as many gathers and scatters; with the sequence cut one more gather.

    arXiv:1909.08053, section 3; arXiv:2205.05198, section 4.2.2. Routed experts get their tokens by another exchange.
    """
    degrees, experts = setting.strategy.degrees, setting.architecture.experts
    stream = HALF * setting.micro_tokens * setting.architecture.hidden_size
    one = gather_s(rates, stream, rates.group(degrees.tp, 1))
    one *= SHOWN_TP if setting.practice.overlap_tp else 1.0
    times = 2 if kind == "sparse" and experts is not None and not experts.n_shared_experts else 4
    return Part(times * one, (times + degrees.sequence_parallel) * one)


def _expert_exchange(setting: Setting, rates: Rates, kind: Kind) -> Part:
    """Tokens go to their experts and come back, and so do their gradients (arXiv:2006.16668, section 3.2)."""
    experts = setting.architecture.experts
    if kind == "dense" or experts is None:
        return Part(0.0, 0.0)
    sent = HALF * _routed_tokens(setting, experts) * setting.architecture.hidden_size
    both = 2 * all_to_all_s(rates, sent, rates.group(setting.strategy.degrees.ep, 1))
    return Part(both, both)


def _context_exchange(setting: Setting, rates: Rates, attention: Part, idle: Part) -> Part:
    """Keys and values of the whole sequence reach every rank, backward again with their gradients going back.

    They hide behind the attention that is under way (arXiv:2310.01889), and behind what the device waits for its host:
    attention that ends sooner then hides as much.
    """
    degrees, hidden = setting.strategy.degrees, rates.calibration.hidden_share
    if degrees.cp == 1:
        return Part(0.0, 0.0)
    width = pieces.key_value_width(setting.architecture) / degrees.tp
    whole = HALF * setting.strategy.micro_batch_size * setting.sequence_length * width
    one = gather_s(rates, whole, rates.group(degrees.cp, degrees.tp))
    forward, backward = attention.forward + idle.forward, attention.backward + idle.backward
    return Part(max(0.0, one - hidden * forward), max(0.0, 2 * one - hidden * backward))
