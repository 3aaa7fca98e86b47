"""The expected ETTR of a planned run in closed form, and what the rest of its time goes into."""

from dataclasses import dataclass
from math import exp, expm1

__all__ = ["Expected", "FaultPlan", "expect", "first_order_ettr"]

HOPELESS = 300.0
"""Exponent beyond which shares are 0 to a hundred digits, and floating point would soon overflow."""


@dataclass(frozen=True, kw_only=True, slots=True)
class FaultPlan:
    """How often a run meets a fault, and what saves and faults cost it."""

    mtbf_s: float
    """Mean time between two faults of the whole run, above 0; they come independently (exponential)."""
    save_s: float
    """How long a save holds the run up, from 0; one that is written in the background costs what copying takes."""
    interval_s: float
    """Training between two saves, above 0."""
    restart_s: float
    """From a fault until steps are done again: detect, locate and restart."""
    memory_share: float = 0.0
    """Share of the faults that leave a copy of the state in memory: they cost `memory_redo_s` and no interval."""
    memory_redo_s: float = 0.0
    """Work that is done again after such a fault, a step or so."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Expected:
    """Shares of the time, expected over a long run; they sum to 1."""

    productive: float
    """The expected ETTR of a run that does not wait in a queue."""
    save_stall: float
    redone: float
    """Work lost to a fault, saves that came to nothing included."""
    restart: float


def expect(plan: FaultPlan) -> Expected:
    """Return the expected shares.

    Without copies in memory this is Daly's complete model (J. T. Daly, "A higher order estimate of the optimum
    checkpoint interval for restart dumps", FGCS 22, 2006, section 3): a run of work T takes
    M e^(R/M) (e^((τ+δ)/M) − 1) T/τ, with the mean time between faults M, restart R, interval τ and save δ; faults also
    strike restarts and saves.

    Copies split the faults by the share p. A fault that leaves one interrupts for D = R + redo, and again from the
    beginning by a further such fault, so that one interruption takes S = (1 − a) M / (1 − p + a p) with a = e^(−D/M)
    and ends in a loss of the copy with probability f = (1 − a)(1 − p) / (1 − p + a p). A second of work then meets
    κ = ((1 − p) + p f) / M losses, and an interval takes (e^(κL) − 1) ((1 + p S/M) / κ + M (e^(R/M) − 1)), L = τ + δ.
    """
    m, p = plan.mtbf_s, plan.memory_share
    length = plan.interval_s + plan.save_s
    interrupted_s, lost, redone_s = _interruption(plan)
    rate = ((1 - p) + p * lost) / m
    work_s = _grown(rate * length) / rate if rate else length
    restarts_s = _grown(rate * length) * m * _grown(plan.restart_s / m)
    total_s = work_s * (1 + p * interrupted_s / m) + restarts_s
    redone = (work_s - length + work_s * p / m * redone_s) / total_s
    productive, save_stall = plan.interval_s / total_s, plan.save_s / total_s
    return Expected(
        productive=productive,
        save_stall=save_stall,
        redone=redone,
        restart=max(0.0, 1 - productive - save_stall - redone),
    )


def _grown(exponent: float) -> float:
    """Return e^exponent − 1, or so much that nothing is left of anything."""
    return expm1(min(exponent, HOPELESS))


def _interruption(plan: FaultPlan) -> tuple[float, float, float]:
    """Return how long a fault that leaves a copy interrupts, how likely the copy is lost then, and the work redone."""
    m, p = plan.mtbf_s, plan.memory_share
    undisturbed = exp(-min((plan.restart_s + plan.memory_redo_s) / m, HOPELESS))
    settled = (1 - p) + undisturbed * p
    seconds = (1 - undisturbed) * m / settled
    return seconds, (1 - undisturbed) * (1 - p) / settled, undisturbed / settled * plan.memory_redo_s


def first_order_ettr(plan: FaultPlan) -> float:
    """Return (1 − (u₀ + Δ/2) / M) / (1 + w/Δ), or 0 where it would be less: every fault costs all it can cost.

    Kokolis et al., arXiv:2410.21680, section III.C, for a short queue: E[ETTR] ≈ (1 − N r_f (u₀ + Δt_cp/2)) /
    (1 + w_cp/Δt_cp), with N r_f = 1/M faults a second, restart u₀, interval Δt_cp and save w_cp. It knows no copies in
    memory.
    """
    lost = (plan.restart_s + plan.interval_s / 2) / plan.mtbf_s
    return max(0.0, (1 - lost) / (1 + plan.save_s / plan.interval_s))
