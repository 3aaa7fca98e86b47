"""What no formula gives: memory lost between blocks, and what drivers and libraries take before a model is there."""

from l3_modeltools.planning.cost.setting import Setting

__all__ = ["context_bytes", "fragmentation"]

MIB = 2**20

CONTEXT = 1024 * MIB
"""A driver's context and the kernels of torch and its libraries."""

GROUP = 256 * MIB
"""Buffers of the collectives of one dimension of the parallelism."""

LOST = 20
"""One in so many allocated bytes: reserved over allocated peaks of 15 runs of Megatron-LM on B200 are 1.03 to 1.09,
1.05 in the mean (github.com/MooreThreads/SimuMax@4dcaae5 docs/b200/b200_release_v1.2_summary.json)."""


def fragmentation(allocated: int) -> int:
    """Bytes that a caching allocator holds beyond what tensors take at their peak."""
    return allocated // LOST


def context_bytes(setting: Setting) -> int:
    """Bytes outside the allocator: the context, and buffers for each dimension that is cut."""
    degrees = setting.strategy.degrees
    cut = (degrees.dp, degrees.tp, degrees.pp, degrees.cp, degrees.ep)
    return CONTEXT + GROUP * sum(degree > 1 for degree in cut)
