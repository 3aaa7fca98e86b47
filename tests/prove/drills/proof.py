"""The proof `resilience`: faults of every kind and a clock that is set, then the same training left to itself."""

import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import msgspec
from faked_clock import MISSING, fake_clock_library

from drills.clock import set_the_clock
from drills.ledger import Ledger
from drills.stage import Supervised, demo_training, last_step, make_run, noise, small_training, told_last
from l3_modeltools.resilience.drill import (
    DRILL_KINDS,
    Clock,
    Conductor,
    DrillPlan,
    DrillResult,
    PlannedBlow,
    Trouble,
    plan_drill,
)
from l3_modeltools.runs import load_run, read_faults, read_marks
from l3_modeltools.schemas import Train
from report import Proof

__all__ = ["Sizes", "prove_resilience"]

RIGHT_SHARE = 0.98
FIRST_STEP_S = 300.0
BUDGET = 2
ONCE: frozenset[Trouble] = frozenset(("spin", "slow", "device"))
"""Kinds that take a minute or more, or start the job anew: they come among the first, and are not drawn again."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Sizes:
    """How much is done."""

    drills: int
    """Random ones, beside one of each kind."""
    quiet_minutes: float
    troubles: tuple[Trouble, ...] = tuple(DRILL_KINDS)
    small: bool = False
    """Whether a model of a few thousand parameters is drilled, instead of the demo's."""


def prove_resilience(sizes: Sizes, *, seed: int, evidence: Path) -> Proof:
    """Break a run on purpose again and again, and compare it with one that was left alone."""
    begun = time.monotonic()
    home, ledger = evidence / "resilience", Ledger()
    home.mkdir()
    training = small_training(home) if sizes.small else demo_training(home)
    drilled = make_run(home / "drilled", training)
    results = _drill(drilled, _plan(sizes, seed, training.ranks_per_node), ledger)
    ledger.violations += list(_judged(results, drilled, training, ledger))
    broken, library = [drilled], fake_clock_library()
    if library is not None:
        skipped = load_run(drilled).skipped
        broken.append(set_the_clock(home, training, skipped, library, seed=seed + 2, ledger=ledger))
    left_alone = _leave_alone(broken, home, training, sizes, seed, ledger)
    for directory in broken:
        _compare(directory, left_alone, ledger)
    _spend_budget(home, training, ledger)
    return Proof(
        name="resilience",
        done=dict(ledger.done),
        checked=dict(ledger.checked),
        violations=tuple(ledger.violations),
        skipped=() if library else (MISSING,),
        seconds=time.monotonic() - begun,
        evidence=evidence,
    )


def _plan(sizes: Sizes, seed: int, ranks: int) -> DrillPlan:
    """One of each kind, then random ones of those that are quick."""
    each = plan_drill(sizes.troubles, seed=seed, ranks=ranks)
    quick = [trouble for trouble in sizes.troubles if trouble not in ONCE]
    more: tuple[PlannedBlow, ...] = ()
    if sizes.drills and quick:
        more = plan_drill(quick, seed=seed + 1, ranks=ranks, count=sizes.drills).blows
    return DrillPlan(seed=seed, blows=(*each.blows, *more))


def _drill(directory: Path, plan: DrillPlan, ledger: Ledger) -> list[DrillResult]:
    run = Supervised(directory)
    results: list[DrillResult] = []
    try:
        if not run.wait_for_step(1, limit_s=FIRST_STEP_S):
            ledger.violations.append(f"the run never began: exit codes {run.exit_codes}")
            return results
        conductor = Conductor(
            directory=directory,
            clock=Clock(now=time.time, sleep=time.sleep),
            is_alive=run.is_alive,
            tell=lambda text: print(f"   {text}", flush=True),
        )
        for result in conductor.run(plan):
            results.append(result)
            print(
                f"   -> {result.verdict} {result.noticed_as} noticed {result.noticed_after_s} resumed"
                f" {result.resumed_after_s} redone {result.redone_steps} {result.taken}",
                flush=True,
            )
            ledger.done[f"drill {result.trouble}"] += 1
    finally:
        run.stop()
    undone = len(plan.blows) - len(results)
    ledger.check(
        "every drill was done", [f"{undone} not done, exit codes {run.exit_codes}"] if undone else []
    )
    return results


def _judged(results: Sequence[DrillResult], directory: Path, train: Train, ledger: Ledger) -> Iterator[str]:
    """Yield what is wrong with how faults were noticed, and with what they cost."""
    interval = train.checkpoint.every_steps
    ledger.checked["a fault is noticed as what it is"] += len(results)
    wrong = [result for result in results if result.verdict != "right"]
    if len(wrong) > (1 - RIGHT_SHARE) * len(results):
        for result in wrong:
            yield f"order {result.id}, {result.what}: {result.verdict} {result.noticed_as or ''}"
    ledger.checked["the run goes on"] += len(results)
    ledger.checked["no more steps are done again than the kind may cost"] += len(results)
    for result in results:
        if result.resumed_after_s is None:
            yield f"order {result.id}, {result.what}: no new step came"
        if result.redone_steps > DRILL_KINDS[result.trouble].redone_at_most(interval):
            yield f"order {result.id}, {result.what}: {result.redone_steps} steps done again"
    claimed = {result.fault_id for result in results}
    faults = read_faults(directory)
    ledger.checked["a fault that is told was done"] += len(faults)
    strange = [fault for fault in faults if fault.fault_id not in claimed]
    if len(strange) > (1 - RIGHT_SHARE) * len(faults) + _companions(results):
        yield from (
            f"told, never done: {fault.fault_id} {fault.fault_class}: {fault.summary}" for fault in strange
        )


def _companions(results: Sequence[DrillResult]) -> int:
    """Count the faults that come with another one by right: the deaths with a damaged checkpoint."""
    return sum(result.trouble == "corrupt" for result in results)


def _leave_alone(
    broken: Sequence[Path], home: Path, train: Train, sizes: Sizes, seed: int, ledger: Ledger
) -> Path:
    """Run the same training, the same batches left out, beside a noisy neighbour: nothing may be told of it."""
    directory = make_run(home / "left-alone", train, skipped=load_run(broken[0]).skipped)
    wanted, until = max(map(last_step, broken)), time.monotonic() + 60 * sizes.quiet_minutes
    run = Supervised(directory)
    try:
        with noise(home / "noise", seed=seed):
            run.wait_for_step(wanted, limit_s=2 * FIRST_STEP_S + 5 * wanted)
            while run.is_alive() and time.monotonic() < until:
                time.sleep(1.0)
    finally:
        run.stop()
    ledger.done["minutes left alone with a noisy neighbour"] += round(sizes.quiet_minutes)
    alarms = [f"{fault.fault_class}: {fault.summary}" for fault in read_faults(directory)]
    ledger.check("no false alarm in a step left alone", alarms, times=last_step(directory))
    return directory


def _compare(drilled: Path, left_alone: Path, ledger: Ledger) -> None:
    """Compare the last word on each step, bit for bit; those left out have no loss to compare."""
    broken, whole = told_last(drilled), told_last(left_alone)
    skipped = load_run(drilled).skipped
    steps = [
        step
        for step in sorted(broken)
        if not any(part.first_step <= step <= part.last_step for part in skipped)
    ]
    missing = sorted(set(range(1, max(broken, default=0) + 1)) - set(broken))
    found = [f"step {step} was never told" for step in missing[:5]]
    unequal = [
        step
        for step in steps
        if step not in whole
        or (broken[step].loss, broken[step].grad_norm) != (whole[step].loss, whole[step].grad_norm)
    ]
    if unequal:
        first = unequal[0]
        pair = broken[first], whole.get(first)
        found.append(f"{len(unequal)} of {len(steps)} steps differ, the first is {first}: {pair}")
    ledger.check("a step's loss and gradient norm are those of the run left alone", found, times=len(steps))


def _spend_budget(home: Path, train: Train, ledger: Ledger) -> None:
    """A run that may be restarted twice gives up at the third fault, and says so."""
    policy = msgspec.structs.replace(train.resilience, max_restarts=BUDGET)
    directory = make_run(home / "budget", msgspec.structs.replace(train, resilience=policy))
    plan = plan_drill(["kill"], seed=1, ranks=train.ranks_per_node, count=BUDGET + 1)
    run = Supervised(directory)
    try:
        run.wait_for_step(1, limit_s=FIRST_STEP_S)
        conductor = Conductor(
            directory=directory,
            clock=Clock(now=time.time, sleep=time.sleep),
            is_alive=run.is_alive,
            tell=lambda text: None,
        )
        for _ in conductor.run(plan):
            ledger.done["kill of a run with a budget of 2"] += 1
    finally:
        run.stop()
    restarts = sum(mark.mark == "spawned" and mark.fault_id is not None for mark in read_marks(directory))
    found = [f"{restarts} restarts"] if restarts != BUDGET else []
    if run.exit_codes != [6]:
        found.append(f"exit codes {run.exit_codes}, expected 6")
    ledger.check("the budget of restarts is kept, and its end is told", found)
