"""Model FLOPs utilisation, by one stated convention (arXiv:2204.02311, appendix B).

mfu = tokens/s · FLOPs per token ÷ (ranks · peak FLOP/s of the device, dense, bf16)

FLOPs per token are `l3_modeltools.architectures.flops_per_token`: those the model asks for, recomputation not counted,
attention counted once and causally. Other sources count otherwise: compare tokens/s, never this.
"""

__all__ = ["find_peak", "utilisation"]

BF16_PEAKS = {
    "A100": 312e12,
    "H100 PCIe": 756e12,
    "H100": 989.4e12,
    "H200": 989.4e12,
    "B200": 2250e12,
}
"""Dense bf16 FLOP/s by a piece of the device's name, of NVIDIA's data sheets; the first that matches counts."""


def find_peak(device_name: str) -> float | None:
    """Return the peak of a device in FLOP/s; None where no data sheet is known here, as for any CPU."""
    return next((peak for name, peak in BF16_PEAKS.items() if name in device_name), None)


def utilisation(
    tokens_per_s: float, *, flops_per_token: float | None, peak: float | None, ranks: int
) -> float | None:
    """Return the share of the devices' peak that went into the model; None where a term is not known."""
    if flops_per_token is None or peak is None:
        return None
    return tokens_per_s * flops_per_token / (ranks * peak)
