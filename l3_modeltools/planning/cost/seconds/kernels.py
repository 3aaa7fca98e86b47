"""Seconds of the three kinds of work of a layer: matrix products, attention, and passes over memory."""

from l3_modeltools.planning.cost.seconds.rates import Rates

__all__ = ["flash_attention_s", "grouped_matmul_s", "matmul_s", "passes_s", "unfused_attention_s"]

HALF = 2
"""Bytes of a 16-bit number."""

SOFTMAX_PASSES_FORWARD, SOFTMAX_PASSES_BACKWARD = 5, 6
"""Times attention that is not fused reads or writes its scores beside the products: mask, softmax and dropout."""

RECOMPUTED = 2.5
"""FLOPs of fused attention backward, over those forward: it makes the scores again (arXiv:2205.14135, section 3)."""

HALF_LENGTH, HALF_HEAD = 380.0, 25.0
"""Tokens, and size of a head, at which fused attention has lost half of its speed: the curves of arXiv:2407.08608,
figures 5 and 6, for FlashAttention-2 and 3 alike. Speeds are told for heads of 128."""


def matmul_s(rates: Rates, m: float, n: float, k: float, *, plain: bool = False) -> float:
    """Seconds of one product (m, k) x (k, n): arithmetic with what is lost at edges, or its bytes, whichever is longer.

    Tiles stick out over the result's edges, the last wave of tiles leaves some of the device idle, and each tile has
    a begin and an end.
    """
    arithmetic = _arithmetic(rates, m, n, k) / (rates.plain_matmul if plain else rates.matmul)
    moved = HALF * (m * k + n * k + m * n) / rates.memory
    return max(arithmetic, moved) + rates.calibration.matmul_gap_s


def grouped_matmul_s(rates: Rates, many: float, m: float, n: float, k: float) -> float:
    """Seconds of many products alike in one kernel: their tiles share the last wave."""
    figures = rates.calibration
    edge, tail = figures.matmul_edge, figures.matmul_tail
    tiles = many * (m + edge) * (n + edge) + tail * tail
    moved = HALF * many * (m * k + n * k + m * n) / rates.memory
    return max(2 * tiles * (k + rates.depth) / rates.matmul, moved) + figures.matmul_gap_s


def _arithmetic(rates: Rates, m: float, n: float, k: float) -> float:
    figures = rates.calibration
    tiles = (m + figures.matmul_edge) * (n + figures.matmul_edge) + figures.matmul_tail**2
    return 2 * tiles * (k + rates.depth)


def flash_attention_s(
    rates: Rates, *, tokens: float, keys: float, heads: float, size: float
) -> tuple[float, float]:
    """Seconds forward and backward of fused causal attention: half of 4 · tokens · keys · heads · size FLOPs."""
    filled = keys / (keys + HALF_LENGTH) * min(1.0, size / (size + HALF_HEAD) * (128 + HALF_HEAD) / 128)
    flops = 2 * tokens * keys * heads * size / filled
    return flops / rates.attention_forward, RECOMPUTED * flops / rates.attention_backward


def unfused_attention_s(
    rates: Rates, *, sequences: float, length: float, heads: float, size: float
) -> tuple[float, float]:
    """Seconds forward and backward of attention that writes its scores: batched products over all of s², and passes."""
    many = sequences * heads
    edge = length + rates.calibration.matmul_edge
    narrow = 2 * edge * (size + rates.calibration.matmul_edge) * (length + rates.depth)
    square = 2 * edge * edge * (size + rates.depth)
    moved = HALF * (2 * length * size + length * length) / rates.memory
    products = [max(flops / rates.plain_matmul, moved) for flops in (square, narrow)]
    product = many * sum(products) / 2 + rates.calibration.matmul_gap_s
    one_pass = many * length * length * HALF / rates.memory
    return 2 * product + SOFTMAX_PASSES_FORWARD * one_pass, 4 * product + SOFTMAX_PASSES_BACKWARD * one_pass


def passes_s(rates: Rates, numbers: float) -> float:
    """Seconds to read or write so many 16-bit numbers once."""
    return HALF * numbers / rates.memory
