"""Derivations of a layer's matrix products and of the exchanges that they need, down to shapes and rates."""

from l3_modeltools.planning.cost.bytes.place import Kind
from l3_modeltools.planning.cost.seconds.kernels import HALF, grouped_matmul_s, matmul_s
from l3_modeltools.planning.cost.seconds.layer import SHOWN_TP, Part, Product, products_of
from l3_modeltools.planning.cost.seconds.rates import Rates
from l3_modeltools.planning.cost.setting import Setting
from l3_modeltools.planning.explain.derivation import Derivation, Input

__all__ = ["explain_products", "explain_tensor_exchange"]

PRODUCT = (
    "max(2 * (many * (M + edge) * (N + edge) + tail**2) * (K + depth) / rate,"
    " 2 * many * (M * K + N * K + M * N) / memory) + gap"
)
"""Arithmetic with tiles that stick out, a last wave and ends of tiles, or bytes; and what a kernel's start loses."""


def explain_products(setting: Setting, rates: Rates, kind: Kind, label: str) -> Derivation:
    """Each product forward, and the two of its backward pass: by the input, and by the weight."""
    parts: list[Derivation] = []
    for number, one in enumerate(products_of(setting, kind), 1):
        ways = (
            ("forward", one.m, one.n, one.k),
            ("input", one.m, one.k, one.n),
            ("weight", one.k, one.n, one.m),
        )
        parts += [_product(rates, one, f"p{number}_{way}", m, n, k) for way, m, n, k in ways]
    return Derivation(
        name=label,
        meaning=f"products of a {kind} layer and a micro batch",
        unit="s",
        value=sum(part.value for part in parts),
        formula=" + ".join(part.name for part in parts),
        parts=tuple(parts),
    )


def _product(rates: Rates, one: Product, name: str, m: float, n: float, k: float) -> Derivation:
    figures = rates.calibration
    seconds = grouped_matmul_s(rates, one.many, m, n, k) if one.many > 1 else matmul_s(rates, m, n, k)
    shape = (
        ("M", m, "rows"),
        ("N", n, "columns"),
        ("K", k, "inner rows"),
        ("many", one.many, "products alike"),
    )
    lost = (
        ("edge", figures.matmul_edge, "calibration: matmul_edge"),
        ("tail", figures.matmul_tail, "calibration: matmul_tail"),
        ("depth", rates.depth, "calibration: matmul_depth, by the device's peak"),
        ("rate", rates.matmul, "FLOP/s: the best measured of the device, times matmul_share"),
        ("memory", rates.memory, "bytes/s of the device's memory, times memory_share"),
        ("gap", figures.matmul_gap_s, "calibration: matmul_gap_s"),
    )
    return Derivation(
        name=name,
        meaning=f"({m:,.0f} x {k:,.0f}) · ({k:,.0f} x {n:,.0f})",
        unit="s",
        value=seconds,
        formula=PRODUCT,
        inputs=tuple(
            Input(symbol=symbol, value=value, meaning=what) for symbol, value, what in (*shape, *lost)
        ),
    )


def explain_tensor_exchange(setting: Setting, rates: Rates, kind: Kind, label: str, part: Part) -> Derivation:
    """Gathers and scatters of the stream, each a ring."""
    degrees = setting.strategy.degrees
    bandwidth, latency = rates.ring(rates.group(degrees.tp, 1))
    stream = HALF * setting.micro_tokens * setting.architecture.hidden_size
    one = (stream * (degrees.tp - 1) / degrees.tp / bandwidth + latency) if degrees.tp > 1 else 0.0
    shown = SHOWN_TP if setting.practice.overlap_tp else 1.0
    times = round(part.both / (shown * one)) if one else 0
    inputs = (
        ("times", times, "gathers and scatters of a layer, forward and backward"),
        ("shown", shown, "share that no product hides"),
        ("bytes", stream, "16-bit numbers of a micro batch's stream"),
        ("tp", degrees.tp, "tensor-parallel ranks"),
        ("bandwidth", bandwidth, "bytes/s of a ring among them"),
        ("latency", latency if degrees.tp > 1 else 0.0, "beside the bytes"),
    )
    return Derivation(
        name=label,
        meaning=f"of a {kind} layer and a micro batch",
        unit="s",
        value=part.both,
        formula="times * shown * (bytes * (tp - 1) / tp / bandwidth + latency)",
        inputs=tuple(Input(symbol=symbol, value=value, meaning=what) for symbol, value, what in inputs),
        source="arXiv:1909.08053, section 3; arXiv:1909.09756, section 2",
    )
