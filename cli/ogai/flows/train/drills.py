"""Drills: a run is broken on purpose, by a plan that is shown before, and what it made of each fault is told."""

import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path

import msgspec

from l0_infra.core.errors import UnhealthyError, UsageError
from l3_modeltools import (
    Clock,
    Conductor,
    DrillPlan,
    DrillReport,
    DrillResult,
    Trouble,
    plan_drill,
    read_marks,
    require_budget,
    restarts_left,
)
from l3_modeltools.schemas import Run, Train
from ogai.flows.train.runs import find, next_hint, stop
from ogai.flows.train.stopping import watch_end
from ogai.flows.train.submit import Planned, plan, queue
from ogai.flows.train.wish import read_wish

__all__ = ["PlannedDrill", "drill", "plan_drill_of", "plan_drill_with", "under_drill"]

ALIVE = ("PENDING", "RUNNING", "SUSPENDED")
LOOK_EVERY_S = 2.0
"""Between two questions to the queue whether the run goes on."""

FIRST_STEPS_S = 600.0
"""How long a run that was submitted for its drill may take to begin."""


@dataclass(frozen=True, kw_only=True, slots=True)
class PlannedDrill:
    """What will be done to a run, and how many restarts it has left; no run: one that is to be submitted."""

    plan: DrillPlan
    restarts_left: int
    run: Run | None = None
    training: Planned | None = None

    @property
    def target(self) -> str:
        """Name what is drilled."""
        if self.run is not None:
            return f"run {self.run.run_id}"
        return f"a new run of {self.training.train.name}" if self.training else ""


def plan_drill_of(
    reference: str, troubles: Sequence[Trouble], *, seed: int, count: int | None = None
) -> PlannedDrill:
    """Plan a drill of a run that is going on; changes nothing.

    Raises UsageError for a run that does not, or of another trainer, UnsatisfiableError beyond its budget.
    """
    run = find(reference)
    if run.state not in ("RUNNING", "SUSPENDED"):
        raise UsageError(
            f"run {run.run_id}", found=run.state, expected="a run that is going on", hint=next_hint(run)
        )
    left = restarts_left(read_marks(Path(run.directory)), run.train.resilience, now=time.time())
    drawn = _drawn(run.train, troubles, seed=seed, count=count)
    require_budget(drawn, left)
    return PlannedDrill(plan=drawn, restarts_left=left, run=run)


def plan_drill_with(
    spec: str,
    troubles: Sequence[Trouble],
    *,
    seed: int,
    count: int | None = None,
    settings: Sequence[str] = (),
) -> PlannedDrill:
    """Plan a drill of a training's file, which will be submitted under a name of its own; changes nothing."""
    wish = read_wish(spec, settings=settings)
    named = replace(wish, train=_under_drill_name(wish.train))
    training = plan(named)
    drawn = _drawn(training.train, troubles, seed=seed, count=count)
    left = training.train.resilience.max_restarts
    require_budget(drawn, left)
    return PlannedDrill(plan=drawn, restarts_left=left, training=training)


@contextmanager
def under_drill(planned: PlannedDrill, *, keep_running: bool, tell: Callable[[str], None]) -> Iterator[Run]:
    """Yield the run that is drilled: the one that was asked for, or one that is submitted now and stopped at the end.

    Raises UnhealthyError when a submitted run does not begin.
    """
    if planned.run is not None:
        yield planned.run
        return
    if planned.training is None:
        raise UsageError("drill", found="neither run nor training", expected="one of them")
    run = queue(planned.training)
    tell(f"run {run.run_id} is queued as job {run.job_ids[-1]}")
    try:
        yield begun(run, tell)
    finally:
        if not keep_running and find(run.run_id).state in ALIVE:
            stop_told(run.run_id, tell)


def stop_told(run_id: str, tell: Callable[[str], None]) -> None:
    """Stop a run, and tell what is waited for until it has ended."""
    stop(run_id)
    doing = ""
    for stopping in watch_end(run_id):
        if stopping.doing != doing:
            doing = stopping.doing
            tell(f"run {run_id}: {doing}")
    tell(f"run {run_id} is stopped; it stays, with all it told: ogai train show {run_id}")


def drill(
    planned: PlannedDrill,
    run: Run,
    *,
    tell: Callable[[str], None],
    on_result: Callable[[DrillResult], None],
) -> DrillReport:
    """Carry a plan out on a run; however this is left, no order stays behind."""
    conductor = Conductor(
        directory=Path(run.directory),
        clock=Clock(now=time.time, sleep=time.sleep),
        is_alive=Living(run.run_id),
        tell=tell,
    )
    results = []
    for result in conductor.run(planned.plan):
        results.append(result)
        on_result(result)
    return DrillReport(
        run=run.run_id, seed=planned.plan.seed, results=tuple(results), planned=len(planned.plan.blows)
    )


class Living:
    """Says whether a run goes on, and asks the queue no more often than is useful."""

    def __init__(self, run_id: str) -> None:
        self.run_id = run_id
        self.asked_at, self.lives = 0.0, True

    def __call__(self) -> bool:
        if time.monotonic() - self.asked_at > LOOK_EVERY_S:
            self.asked_at = time.monotonic()
            self.lives = find(self.run_id).state in ALIVE
        return self.lives


def _drawn(train: Train, troubles: Sequence[Trouble], *, seed: int, count: int | None) -> DrillPlan:
    if train.framework != "ogai" or train.resources.nodes != 1:
        raise UsageError(
            "drill",
            found=f"a training by {train.framework} on {train.resources.nodes} nodes",
            expected="one by ogai's own trainer, on one node",
        )
    return plan_drill(troubles, seed=seed, ranks=train.ranks_per_node, count=count)


def _under_drill_name(train: Train) -> Train:
    return msgspec.structs.replace(train, name=f"{train.name[:58]}-drill")


def begun(run: Run, tell: Callable[[str], None]) -> Run:
    """Wait for a run's turn, for as long as that takes and telling so, then for its first step."""
    until, waits = time.monotonic() + FIRST_STEPS_S, ""
    while (now := find(run.run_id)).state in ALIVE and time.monotonic() < until:
        if now.step:
            return now
        if now.state == "PENDING":
            until = time.monotonic() + FIRST_STEPS_S
            if now.reason != waits:
                waits = now.reason
                tell(f"run {run.run_id} waits: {waits}")
        time.sleep(LOOK_EVERY_S)
    raise UnhealthyError(
        f"run {run.run_id}",
        found=f"{now.state}: {now.reason}",
        expected="its first steps",
        hint=f"ogai train logs {run.run_id}",
    )
