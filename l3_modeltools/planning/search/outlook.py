"""What a strategy means to whoever pays: tokens a second, share of the peak, days, money; and where time goes."""

from collections.abc import Mapping
from dataclasses import dataclass

from l3_modeltools.architectures import flops_per_token
from l3_modeltools.planning.cost.seconds import StepTime
from l3_modeltools.planning.search.find import Candidate
from l3_modeltools.planning.search.problem import Problem

__all__ = ["Outlook", "outlook", "reasons"]

DAY, HOUR = 86400.0, 3600.0
WORK = ("products", "attention", "elementwise", "output")
"""Terms that are the work itself."""

WORDS: Mapping[str, str] = {
    "idle": "waiting for kernels to start",
    "tensor_exchange": "tensor exchange",
    "expert_exchange": "expert exchange",
    "context_exchange": "context exchange",
    "recompute": "recomputation",
    "copies": "exchange between copies",
    "hand_over": "hand-over between stages",
    "bubble": "bubble",
    "uneven": "waiting of uneven virtual stages",
    "optimizer": "optimizer",
    "stragglers": "stragglers",
    "rest": "start and end of a step",
}
NAMED = 0.01
"""Share of a step from which a term is named."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Outlook:
    """Figures of a run with a strategy."""

    devices: int
    step_s: float
    tokens_per_s: float
    tokens_per_s_per_device: float
    mfu: float | None
    """Model FLOPs over the peak of the number format that it computes in (arXiv:2204.02311); None: no such peak."""
    peak_bytes: int
    free_bytes: int
    days: float | None
    """For the tokens that are wanted."""
    cost: float | None
    """For these tokens, where the machine has a price."""


def outlook(problem: Problem, candidate: Candidate, tokens: float | None = None) -> Outlook:
    """Work them out; `tokens` are those of the whole training."""
    devices, rate = problem.machine.devices, problem.tokens / candidate.step_s
    peak = peak_flop_per_s(problem)
    flops = flops_per_token(problem.architecture, problem.sequence_length)
    seconds = tokens / rate if tokens else None
    price = problem.machine.price_per_device_hour
    return Outlook(
        devices=devices,
        step_s=candidate.step_s,
        tokens_per_s=rate,
        tokens_per_s_per_device=rate / devices,
        mfu=flops * rate / devices / peak if peak else None,
        peak_bytes=candidate.memory.peak,
        free_bytes=problem.device.memory_bytes - candidate.memory.peak,
        days=seconds / DAY if seconds else None,
        cost=seconds / HOUR * devices * price if seconds and price else None,
    )


def peak_flop_per_s(problem: Problem) -> float | None:
    """The device's peak in the format of the products."""
    peaks = {one.precision: one.flop_per_s for one in problem.device.peak}
    return peaks.get(problem.practice.compute)


def least_step_s(problem: Problem) -> float:
    """Seconds that no step can beat: the model's own arithmetic at the peak of all devices; 0 where none is known."""
    peak = peak_flop_per_s(problem)
    if peak is None:
        return 0.0
    flops = flops_per_token(problem.architecture, problem.sequence_length) * problem.tokens
    return flops / peak / problem.machine.devices


def reasons(time: StepTime, most: int = 3) -> tuple[tuple[str, float], ...]:
    """What a step spends beside its work, in words, with its share of the step, the largest first."""
    shares = (
        (WORDS.get(name, name), seconds / time.total) for name, seconds in time.named() if name not in WORK
    )
    found = sorted((one for one in shares if one[1] >= NAMED), key=lambda one: -one[1])
    return tuple(found[:most])
