"""A published fault table met again under other settings: what share of the time would have been worth something."""

from dataclasses import dataclass, replace
from random import Random
from statistics import mean

from l3_modeltools.resilience.accounts.expect import FaultPlan, expect, first_order_ettr
from l3_modeltools.resilience.accounts.reach import Reach, at_best, reach
from l3_modeltools.resilience.accounts.table import FaultTable

__all__ = ["Estimate", "Replay", "Setting", "replay_faults"]

MINUTE_S, HOUR_S = 60.0, 3600.0
DRAWS = 200
COPIED_SHARE = 0.9
"""Assumed: the table does not say how many of its faults left the memory of other hosts alone."""
SAVE_S = 100.0
"""Assumed: the paper does not say how long a save held the run up."""
BACKGROUND_S = 5.0
"""Assumed: what a copy in memory takes that is written while training goes on."""
RESTARTS = (20 * MINUTE_S, 10 * MINUTE_S, 5 * MINUTE_S, 2 * MINUTE_S, 30.0)


@dataclass(frozen=True, kw_only=True, slots=True)
class Estimate:
    """One way to answer, with what it assumes."""

    name: str
    share: float
    assumes: str


@dataclass(frozen=True, kw_only=True, slots=True)
class Setting:
    """The expected ETTR of one way to save and one restart."""

    plan: FaultPlan
    best: bool
    """Whether it saves as often as is best."""
    share: float


@dataclass(frozen=True, kw_only=True, slots=True)
class Replay:
    """The answers for hourly saves and 20 minutes of recovery, and for other settings."""

    table: FaultTable
    mtbf_s: float
    estimates: tuple[Estimate, ...]
    settings: tuple[tuple[Setting, ...], ...]
    """For each restart, the longest first, the same ways to save."""
    reaches: tuple[Reach, ...]
    """What reaches the targets with 20 minutes of recovery and saves in the background, the best so often."""


def replay_faults(table: FaultTable, *, seed: int = 0) -> Replay:
    """Replay the interruptions of `table`."""
    plan = FaultPlan(mtbf_s=table.mtbf_s, save_s=0.0, interval_s=HOUR_S, restart_s=20 * MINUTE_S)
    return Replay(
        table=table,
        mtbf_s=table.mtbf_s,
        estimates=_estimates(table, plan, replace(plan, save_s=SAVE_S), seed),
        settings=tuple(
            _settings(replace(plan, save_s=SAVE_S, restart_s=restart_s)) for restart_s in RESTARTS
        ),
        reaches=reach(at_best(replace(plan, save_s=BACKGROUND_S)), memory_share=COPIED_SHARE),
    )


def _estimates(table: FaultTable, free: FaultPlan, saved: FaultPlan, seed: int) -> tuple[Estimate, ...]:
    stall = f"a save holds the run up for {SAVE_S:.0f} s"
    drawn = mean(_relive(table, saved, Random(f"{seed}-{draw}")) for draw in range(DRAWS))
    return (
        Estimate(
            name="first order, saves cost nothing",
            share=first_order_ettr(free),
            assumes=f"each of {table.count} faults costs 20 min and half an hour of work (arXiv:2410.21680)",
        ),
        Estimate(
            name="first order",
            share=first_order_ettr(saved),
            assumes=f"the same, and {stall}",
        ),
        Estimate(
            name="closed form, saves cost nothing",
            share=expect(free).productive,
            assumes="faults come independently, some while a run has little to lose (Daly 2006)",
        ),
        Estimate(name="closed form", share=expect(saved).productive, assumes=f"the same, and {stall}"),
        Estimate(
            name="replayed",
            share=drawn,
            assumes=f"exactly {table.count} faults at random times, mean of {DRAWS} draws; {stall}",
        ),
    )


def _relive(table: FaultTable, plan: FaultPlan, random: Random) -> float:
    """Live through the table's days once, with its faults at random times; return the share of work that was kept."""
    faults = sorted(random.uniform(0, table.seconds) for _ in range(table.count))
    kept = ready = 0.0
    cycle = plan.interval_s + plan.save_s
    for fault in [*faults, table.seconds]:
        kept += max(0.0, fault - ready) // cycle * plan.interval_s
        ready = fault + plan.restart_s
    return kept / table.seconds


def _settings(plan: FaultPlan) -> tuple[Setting, ...]:
    """Save hourly, half-hourly and as often as is best; then in the background; then with copies in memory too."""
    background = replace(plan, save_s=BACKGROUND_S)
    return (
        _setting(plan),
        _setting(replace(plan, interval_s=HOUR_S / 2)),
        _setting(at_best(plan), best=True),
        _setting(at_best(background), best=True),
        _setting(at_best(replace(background, memory_share=COPIED_SHARE)), best=True),
    )


def _setting(plan: FaultPlan, *, best: bool = False) -> Setting:
    return Setting(plan=plan, best=best, share=expect(plan).productive)
