"""Seconds of exchanges between ranks: rings, whose bytes per rank are (n - 1) / n of the whole."""

from l3_modeltools.planning.cost.seconds.rates import Rates

__all__ = ["gather_s", "hand_over_s"]


def gather_s(rates: Rates, whole_bytes: float, ranks: int, spread: int) -> float:
    """Seconds of an all-gather or a reduce-scatter; an all-reduce is one of each (arXiv:1909.09756, section 2).

    `spread` is how far apart the ranks lie: within how many neighbouring ones all of them are found.
    """
    if ranks == 1:
        return 0.0
    bandwidth, latency = rates.between(spread)
    return whole_bytes * (ranks - 1) / ranks / bandwidth + latency


def hand_over_s(rates: Rates, count_bytes: float, spread: int) -> float:
    """Seconds to hand activations to the next stage, whose ranks lie `spread` apart."""
    bandwidth, latency = rates.between(spread)
    return count_bytes / bandwidth + latency
