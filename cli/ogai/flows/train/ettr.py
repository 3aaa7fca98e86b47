"""What share of its time a run made use of, what a plan can expect, and what another's faults would have cost."""

import time
from collections import Counter
from dataclasses import dataclass, replace
from pathlib import Path

from l0_infra.core.errors import UsageError
from l3_modeltools import (
    Accounts,
    Expected,
    FaultPlan,
    Figure,
    Reach,
    Replay,
    account,
    best_interval,
    expect,
    find_run,
    first_order_ettr,
    llama3_table,
    published_figures,
    reach,
    read_metric_lines,
    replay_faults,
    scaled_mtbf_s,
)
from l3_modeltools.schemas import FaultClass
from ogai.flows.train.place import runs_folder
from ogai.flows.train.runs import Told, jobs_by_id, look

__all__ = [
    "FaultCount",
    "PlannedEttr",
    "RunEttr",
    "Spent",
    "accounts_of",
    "expected_ettr",
    "mtbf_of",
    "replay_ettr",
    "run_ettr",
]

TABLES = ("llama-3",)
MOST_ACCELERATORS = 10**9
COPIED_SHARE = 0.9
"""Share of faults that is taken to leave a copy of the state, where a plan asks what copies in memory would bring."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Spent:
    """Time of one kind."""

    category: str
    seconds: float
    share: float


@dataclass(frozen=True, kw_only=True, slots=True)
class FaultCount:
    """Faults of one class."""

    fault_class: FaultClass
    count: int


@dataclass(frozen=True, kw_only=True, slots=True)
class RunEttr:
    """What the time of a run went into, from its submission until its end or now."""

    run_id: str
    state: str
    wall_s: float
    spent: tuple[Spent, ...]
    """All categories; the seconds sum to `wall_s`."""
    figures: tuple[Figure, ...]
    faults: tuple[FaultCount, ...]
    restarts: int


@dataclass(frozen=True, kw_only=True, slots=True)
class PlannedEttr:
    """What a plan can expect."""

    plan: FaultPlan
    best: bool
    """Whether it saves as often as is best."""
    expected: Expected
    first_order: float
    """By Meta's approximation, which knows no copies in memory."""
    reaches: tuple[Reach, ...]


def run_ettr(reference: str) -> RunEttr:
    """Account for the time of a run; `reference` as in `find`."""
    jobs = jobs_by_id()
    told = look(find_run(reference, runs_folder()), jobs)
    run, accounts = told.run, accounts_of(told)
    wall_s = accounts.wall_s
    counts = Counter(fault.fault_class for fault in told.happened.faults)
    return RunEttr(
        run_id=run.run_id,
        state=run.state,
        wall_s=wall_s,
        spent=tuple(
            Spent(category=category, seconds=seconds, share=seconds / wall_s if wall_s else 0.0)
            for category, seconds in accounts.spent_s.items()
        ),
        figures=published_figures(accounts),
        faults=tuple(FaultCount(fault_class=name, count=count) for name, count in counts.most_common()),
        restarts=len(run.restarts),
    )


def expected_ettr(plan: FaultPlan, *, best: bool = False) -> PlannedEttr:
    """Say what a plan can expect; with `best` its interval is replaced by the best one."""
    taken = replace(plan, interval_s=best_interval(plan)) if best else plan
    return PlannedEttr(
        plan=taken,
        best=best,
        expected=expect(taken),
        first_order=first_order_ettr(taken),
        reaches=reach(taken, memory_share=COPIED_SHARE),
    )


def mtbf_of(accelerators: int) -> float:
    """Return the mean time between faults, in seconds, of so many accelerators at Llama 3's rate."""
    if not 1 <= accelerators <= MOST_ACCELERATORS:
        expected = f"from 1 to {MOST_ACCELERATORS:,}"
        raise UsageError("--accelerators", found=str(accelerators), expected=expected)
    return scaled_mtbf_s(accelerators)


def replay_ettr(table: str) -> Replay:
    """Replay a published table of faults. Raises UsageError for one that is not here."""
    if table not in TABLES:
        raise UsageError("--replay", found=f"`{table}`", expected=" or ".join(f"`{name}`" for name in TABLES))
    return replay_faults(llama3_table())


def accounts_of(told: Told) -> Accounts:
    """Account for the time of a run, from what it told."""
    run, happened = told.run, told.happened
    lines = read_metric_lines(Path(run.directory), told.clock)
    ended_at = run.ended_at
    if ended_at is None and run.state in ("COMPLETED", "FAILED", "CANCELLED"):
        times = (*happened.starts, *(mark.at for mark in happened.marks), *(line.at or 0.0 for line in lines))
        ended_at = max(times, default=run.submitted_at)
    return account(
        submitted_at=run.submitted_at,
        until=time.time() if ended_at is None else ended_at,
        starts=happened.starts,
        submissions=happened.submissions,
        marks=happened.marks,
        faults=happened.faults,
        lines=lines,
    )
