"""Derivations of matrix products, down to shapes and rates: those of a layer, and of the output with its loss."""

from l3_modeltools.planning.cost.bytes.place import Kind
from l3_modeltools.planning.cost.seconds.kernels import HALF, grouped_matmul_s, matmul_s
from l3_modeltools.planning.cost.seconds.layer import Product, products_of
from l3_modeltools.planning.cost.seconds.rates import Rates
from l3_modeltools.planning.cost.seconds.stages import FUSED_LOSS, LOSS_PASSES
from l3_modeltools.planning.cost.setting import Setting
from l3_modeltools.planning.explain.derivation import Derivation, inputs

__all__ = ["explain_output", "explain_products"]

PRODUCT = (
    "max(2 * (many * (M + edge) * (N + edge) + tail**2) * (K + depth) / rate,"
    " 2 * many * (M * K + N * K + M * N) / memory) + gap"
)
"""Arithmetic with tiles that stick out, a last wave and ends of tiles, or bytes; and what a kernel's start loses."""


def explain_products(setting: Setting, rates: Rates, kind: Kind, label: str) -> Derivation:
    """Each product forward, and the two of its backward pass: by the input, and by the weight."""
    parts: list[Derivation] = []
    for number, one in enumerate(products_of(setting, kind), 1):
        parts += _three(rates, one, f"{kind}_p{number}")
    return Derivation(
        name=label,
        meaning=f"products of a {kind} layer and a micro batch",
        unit="s",
        value=sum(part.value for part in parts),
        formula=" + ".join(part.name for part in parts),
        parts=tuple(parts),
    )


def explain_output(setting: Setting, rates: Rates, value: float) -> Derivation:
    """The output's product, which stays in 16 bits, and passes over the logits."""
    if not value:
        return Derivation(
            name="output_each", meaning="no output on this stage", unit="s", value=0.0, formula="0"
        )
    tokens, columns = setting.micro_tokens, setting.vocabulary / setting.vocabulary_parts
    product = Product(tokens, columns, setting.architecture.hidden_size)
    return Derivation(
        name="output_each",
        meaning="of a micro batch",
        unit="s",
        value=value,
        formula="output_forward + output_input + output_weight + passes * 2 * tokens * columns / memory",
        inputs=inputs(
            (
                "passes",
                LOSS_PASSES * (FUSED_LOSS if setting.practice.fused_loss else 1.0),
                "times the loss reads or writes the logits",
            ),
            ("tokens", tokens, "of a micro batch on a rank"),
            ("columns", columns, "of the vocabulary on a rank"),
            ("memory", rates.memory, "bytes/s of the device's memory, times memory_share"),
        ),
        parts=_three(rates, product, "output", plain=True),
    )


def _three(rates: Rates, one: Product, label: str, *, plain: bool = False) -> tuple[Derivation, ...]:
    ways = (
        ("forward", one.m, one.n, one.k),
        ("input", one.m, one.k, one.n),
        ("weight", one.k, one.n, one.m),
    )
    return tuple(_product(rates, one.many, f"{label}_{way}", (m, n, k), plain=plain) for way, m, n, k in ways)


def _product(
    rates: Rates, many: float, name: str, shape: tuple[float, float, float], *, plain: bool
) -> Derivation:
    (m, n, k), figures = shape, rates.calibration
    seconds = grouped_matmul_s(rates, many, m, n, k) if many > 1 else matmul_s(rates, m, n, k, plain=plain)
    rate = rates.plain_matmul if plain else rates.matmul
    return Derivation(
        name=name,
        meaning=f"({m:,.0f} x {k:,.0f}) · ({k:,.0f} x {n:,.0f})",
        unit="s",
        value=seconds,
        formula=PRODUCT,
        inputs=inputs(
            ("M", m, "rows"),
            ("N", n, "columns"),
            ("K", k, "inner rows"),
            ("many", many, "products alike, in one kernel"),
            ("edge", figures.matmul_edge, "calibration: matmul_edge"),
            ("tail", figures.matmul_tail, "calibration: matmul_tail"),
            ("depth", rates.depth, "calibration: matmul_depth, by the device's peak"),
            ("rate", rate, "FLOP/s: the best measured of the device, times matmul_share"),
            ("memory", rates.memory, "bytes/s of the device's memory, times memory_share"),
            ("gap", figures.matmul_gap_s, "calibration: matmul_gap_s"),
        ),
        source=f"operands of {HALF} bytes; tiles and waves: planning/cost/seconds/kernels.py",
    )
