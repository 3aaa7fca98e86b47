"""The operators a rank's model is made of beside torch's own."""

from l3_modeltools.training.dryrun.kernels import attention, elementwise, exchange, losses, norms, sums
from l3_modeltools.training.dryrun.kernels.define import OPS, SPACE
from l3_modeltools.training.dryrun.kernels.exchange import MESSAGES, joined
from l3_modeltools.training.dryrun.kernels.flops import flops_of

__all__ = [
    "MESSAGES",
    "OPS",
    "SPACE",
    "attention",
    "elementwise",
    "exchange",
    "flops_of",
    "joined",
    "losses",
    "norms",
    "sums",
]
