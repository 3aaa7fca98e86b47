"""Seconds of exchanges between ranks."""

from l3_modeltools.planning.cost.seconds.rates import Group, Rates

__all__ = ["all_to_all_s", "gather_s", "hand_over_s"]


def gather_s(rates: Rates, whole_bytes: float, group: Group) -> float:
    """Seconds of an all-gather or a reduce-scatter in a ring; an all-reduce is one of each.

    Each rank passes on (n - 1) / n of the whole (arXiv:1909.09756, section 2).
    """
    if group.ranks == 1:
        return 0.0
    bandwidth, latency = rates.ring(group)
    return whole_bytes * (group.ranks - 1) / group.ranks / bandwidth + latency


def all_to_all_s(rates: Rates, own_bytes: float, group: Group) -> float:
    """Seconds in which each rank sends its bytes, in equal parts, to all: through links and network at once."""
    if group.ranks == 1:
        return 0.0
    figures = rates.calibration
    near = own_bytes * (group.local - 1) / group.ranks / rates.link
    if group.domains == 1:
        return near + figures.link_latency_s
    far = own_bytes * (group.ranks - group.local) / group.ranks / rates.network
    return max(near, far) + figures.link_latency_s + figures.network_latency_s


def hand_over_s(rates: Rates, count_bytes: float, stride: int) -> float:
    """Seconds to hand activations to the next stage, whose ranks are `stride` away."""
    figures = rates.calibration
    if stride < rates.domain:
        return count_bytes / rates.link + figures.link_latency_s
    return count_bytes / rates.network + figures.network_latency_s
