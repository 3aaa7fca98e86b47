"""Seconds of the three kinds of work of a layer: matrix products, attention, and passes over memory."""

from l3_modeltools.planning.cost.seconds.rates import Rates

__all__ = ["flash_attention_s", "matmul_s", "passes_s", "unfused_attention_s"]

HALF = 2
"""Bytes of a 16-bit number."""

SOFTMAX_PASSES_FORWARD, SOFTMAX_PASSES_BACKWARD = 5, 6
"""Times attention that is not fused reads or writes its scores beside the products: mask, softmax and dropout."""

RECOMPUTED = 2.5
"""FLOPs of fused attention backward, over those forward: it makes the scores again (arXiv:2205.14135, section 3)."""


def matmul_s(rates: Rates, m: float, n: float, k: float, *, plain: bool = False) -> float:
    """Seconds of one product (m, k) x (k, n): arithmetic with edges lost, or its bytes, whichever takes longer."""
    filled = m / (m + rates.edge) * n / (n + rates.edge)
    arithmetic = 2 * m * n * k / ((rates.plain_matmul if plain else rates.matmul) * filled)
    moved = HALF * (m * k + n * k + m * n) / rates.memory
    return max(arithmetic, moved) + rates.calibration.matmul_gap_s


def flash_attention_s(
    rates: Rates, *, tokens: float, keys: float, heads: float, size: float
) -> tuple[float, float]:
    """Seconds forward and backward of fused causal attention: half of 4 · tokens · keys · heads · size FLOPs."""
    flops = 2 * tokens * keys * heads * size
    return flops / rates.attention_forward, RECOMPUTED * flops / rates.attention_backward


def unfused_attention_s(
    rates: Rates, *, sequences: float, length: float, heads: float, size: float
) -> tuple[float, float]:
    """Seconds forward and backward of attention that writes its scores: batched products over all of s², and passes."""
    many = sequences * heads
    filled = length / (length + rates.edge)
    arithmetic = 2 * length * length * size / (rates.plain_matmul * filled)
    moved = HALF * (2 * length * size + length * length) / rates.memory
    product = many * max(arithmetic, moved) + rates.calibration.matmul_gap_s
    one_pass = many * length * length * HALF / rates.memory
    return 2 * product + SOFTMAX_PASSES_FORWARD * one_pass, 4 * product + SOFTMAX_PASSES_BACKWARD * one_pass


def passes_s(rates: Rates, numbers: float) -> float:
    """Seconds to read or write so many 16-bit numbers once."""
    return HALF * numbers / rates.memory
