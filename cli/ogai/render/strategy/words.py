"""Strategies and their figures in a few words."""

from l0_infra.core.units import format_bytes
from l3_modeltools.schemas import Strategy
from ogai.flows.strategy import Offer

__all__ = ["cut", "held", "rate", "recomputed", "share", "step", "why"]


def cut(strategy: Strategy) -> str:
    """The degrees that are more than 1: `dp 128 · tp 8 · pp 16 × 7`."""
    degrees = strategy.degrees
    parts = [
        f"{name} {getattr(degrees, name)}" for name in ("dp", "tp", "cp", "ep") if getattr(degrees, name) > 1
    ]
    if degrees.pp > 1:
        parts.append(f"pp {degrees.pp}" + (f" × {degrees.vp}" if degrees.vp > 1 else ""))
    return " · ".join(parts) or "whole"


def recomputed(strategy: Strategy) -> str:
    """What is computed twice: `-`, `selective`, `full`, or `full, 3 of 8` at most of a virtual stage."""
    recompute = strategy.recompute
    if recompute.mode == "none":
        return "-"
    if recompute.layers is None:
        return recompute.mode
    most = max(map(max, recompute.layers))
    return f"{recompute.mode} ≤ {most}"


def held(strategy: Strategy) -> str:
    """Micro batch, ZeRO stage and schedule."""
    schedule = {"zero_bubble": "zero bubble"}.get(strategy.pipeline.schedule, strategy.pipeline.schedule)
    told = [f"micro batch {strategy.micro_batch_size}", f"ZeRO {strategy.zero_stage}"]
    if strategy.degrees.pp > 1:
        told.append(schedule)
    if strategy.degrees.tp > 1 and not strategy.vocab_parallel:
        told.append("whole embedding")
    if strategy.degrees.sequence_parallel:
        told.append("sequence parallel")
    if strategy.recompute.mode != "none":
        told.append(f"recompute {recomputed(strategy)}")
    return ", ".join(told)


def why(offer: Offer) -> str:
    """Where a step's time goes beside the work, and what memory is left."""
    parts = [f"{name} {share(part)}" for name, part in offer.reasons]
    return ", ".join([*parts, f"{format_bytes(max(0, offer.outlook.free_bytes))} free"])


def step(seconds: float) -> str:
    """Seconds of a step, in three or four digits."""
    return f"{seconds:.2f} s" if seconds >= 1 else f"{seconds * 1e3:.3g} ms"


def share(part: float) -> str:
    """A share in per cent; small ones with a digit behind the point."""
    return f"{part:.0%}" if part >= 0.0995 else f"{part:.1%}"


def rate(tokens_per_s: float) -> str:
    """Tokens a second in three digits: `3.02M/s`."""
    for scale, letter in ((1e9, "G"), (1e6, "M"), (1e3, "K")):
        if tokens_per_s >= scale:
            return f"{tokens_per_s / scale:.3g}{letter}/s"
    return f"{tokens_per_s:.3g}/s"
