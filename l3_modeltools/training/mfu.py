"""Model FLOPs utilisation, by one stated convention (arXiv:2204.02311, appendix B).

mfu = tokens/s · FLOPs per token ÷ (ranks · peak FLOP/s of the device, dense, bf16)

FLOPs per token are `l3_modeltools.architectures.flops_per_token`: those the model asks for, recomputation not counted,
attention counted once and causally; the peak is that of the device's data sheet, which the plan has found. Other
sources count otherwise: compare tokens/s, never this.
"""

__all__ = ["utilisation"]


def utilisation(
    tokens_per_s: float, *, flops_per_token: float | None, peak: float | None, ranks: int
) -> float | None:
    """Return the share of the devices' peak that went into the model; None where a term is not known."""
    if flops_per_token is None or peak is None:
        return None
    return tokens_per_s * flops_per_token / (ranks * peak)
