"""Bytes of what lasts from step to step: weights, their gradients, and what the optimizer keeps of them."""

from dataclasses import dataclass

from l3_modeltools.planning.cost.bytes.parameters import Parameters
from l3_modeltools.planning.cost.setting import FORMAT_BYTES, Setting

__all__ = ["Sharing", "gathered_bytes", "gradient_bytes", "optimizer_bytes", "sharing_of", "weight_bytes"]

FULL, HALF = 4, 2
"""Bytes of an fp32 number and of a 16-bit one."""


@dataclass(frozen=True, slots=True)
class Sharing:
    """Ranks that hold the same parameters, among which ZeRO deals what it shards."""

    shared: int
    experts: int

    def share(self, held: Parameters, each: int) -> int:
        """Bytes of one rank's share of parameters with `each` bytes, the fuller rank's where it does not divide."""
        return -(-held.shared * each // self.shared) + -(-held.experts * each // self.experts)


def sharing_of(setting: Setting) -> Sharing:
    """Context-parallel ranks hold the same weights too; experts lie once in each expert-parallel group."""
    degrees = setting.strategy.degrees
    copies = degrees.dp * degrees.cp
    return Sharing(copies, max(1, copies * degrees.tp // degrees.ep))


def weight_bytes(setting: Setting, held: Parameters, sharing: Sharing) -> int:
    """Bytes of the weights that last (arXiv:1910.02054, section 5).

    With ZeRO 3 under a pipeline they stay gathered through the step, for every micro batch needs them: FSDP2 as
    torchtitan uses it (docs/fsdp.md; reshard_after_forward is false where there are stages).
    """
    practice, strategy = setting.practice, setting.strategy
    each = FORMAT_BYTES[practice.weights]
    if strategy.zero_stage < 3:
        return held.total * each
    kept = gathered_bytes(setting, held) if strategy.degrees.pp > 1 else 0
    return kept + sharing.share(held, FULL if practice.kept.master_only else each)


def gathered_bytes(setting: Setting, held: Parameters) -> int:
    """Bytes of sharded weights once they are gathered: in the products' format where they are cast first.

    In 8 bits only where there are data-parallel copies: torchtitan turns it off for context-parallel ones alone
    (torchtitan/float8.py, enable_fsdp_float8_all_gather).
    """
    practice = setting.practice
    if not practice.kept.master_only:
        return held.total * FORMAT_BYTES[practice.weights]
    if practice.compute == "fp8" and setting.strategy.degrees.dp == 1:
        return held.total * HALF
    return held.total * FORMAT_BYTES[practice.compute]


def gradient_bytes(setting: Setting, held: Parameters, sharing: Sharing) -> int:
    """Bytes of summed gradients: from ZeRO 2 on a share of them.

    A pipeline adds up its micro batches' gradients whole; ZeRO 2 and 3 have room for their share besides.
    """
    practice, strategy = setting.practice, setting.strategy
    each = FORMAT_BYTES[practice.gradients]
    share = sharing.share(held, each) if strategy.zero_stage >= 2 else 0
    return share if share and strategy.degrees.pp == 1 else share + held.total * each


def optimizer_bytes(setting: Setting, held: Parameters, sharing: Sharing) -> int:
    """Bytes of Adam's two moments and of fp32 weights beside 16-bit ones, shared from ZeRO 1 on."""
    practice, zero = setting.practice, setting.strategy.zero_stage
    apart = practice.master_weights and practice.weights != "fp32"
    apart = apart and not (zero == 3 and practice.kept.master_only)
    each = 2 * FORMAT_BYTES[practice.moments] + FULL * apart
    return sharing.share(held, each) if zero else held.total * each
