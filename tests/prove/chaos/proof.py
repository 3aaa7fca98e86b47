"""The proof `engine`: random events against the real engine, then everything must come to rest and add up."""

import random
import subprocess
import time
from contextlib import ExitStack
from pathlib import Path

from faked_clock import MISSING, fake_clock_library, sweep_faked_clocks

from chaos.audit import Audit
from chaos.events import happen
from chaos.stage import Stage
from chaos.targets import living_agent
from chaos.traces import (
    check_agent_log,
    check_gone,
    check_ledger,
    check_secrets,
    check_slots,
    check_store,
    end_all,
)
from chaos.world import World, make_ground, make_worlds
from l2_scheduler.schemas import FINAL_STATES
from report import Proof

__all__ = ["prove_engine"]

LOOK_EVERY = 25
FORGET_EVERY = 40
REST_S = 120.0
GONE_S = 5.0


def prove_engine(*, rounds: int, seed: int, evidence: Path) -> Proof:
    """Run the rounds, let everything come to rest, and check every invariant."""
    begun = time.monotonic()
    rng = random.Random(seed)
    mark = f"{rng.randrange(10**7, 10**8)}{time.time_ns() % 10**6:06d}"
    with ExitStack() as stack:
        ground = make_ground(evidence / f"engine-{mark}", mark)
        worlds, skipped = make_worlds(ground, stack)
        stack.callback(sweep_faked_clocks)
        stack.callback(end_all, ground)
        stage = Stage(ground, worlds, rng)
        audit = Audit(stage.history)
        for number in range(1, rounds + 1):
            happen(stage)
            stage.tend()
            time.sleep(rng.uniform(0.0, 0.25))
            if number % LOOK_EVERY == 0:
                look(stage, audit)
            if number % FORGET_EVERY == 0:
                forget(stage, audit, rng.choice(worlds))
        come_to_rest(stage, audit)
        conclude(stage, audit)
        keep_evidence(stage, audit)
    if fake_clock_library() is None:
        skipped = (*skipped, MISSING)
    return Proof(
        name="engine",
        done=dict(sorted(stage.history.events.items())),
        checked=dict(audit.checked),
        violations=tuple(f"{violation.invariant}: {violation.found}" for violation in audit.violations),
        skipped=skipped,
        seconds=time.monotonic() - begun,
        evidence=ground.folder,
    )


def look(stage: Stage, audit: Audit) -> None:
    """Check what must hold at any moment."""
    check_slots(audit, stage.ground)
    for world in stage.worlds:
        check_agent_log(audit, world)


def forget(stage: Stage, audit: Audit, world: World) -> None:
    """Check the jobs that ended, then prune them."""
    stage.settle()
    before = stage.statuses(world)
    audit.submissions(world, before)
    audit.jobs(world, before)
    process = world.ogai("job", "prune", "--older-than", "1", "--yes")
    process.communicate()
    left = {status.job_id for status in stage.statuses(world)}
    gone = [status.job_id for status in before if status.job_id not in left]
    open_ones = [
        s.job_id for s in before if s.job_id in gone and s.state not in FINAL_STATES and not s.attempt
    ]
    audit.check("only ended jobs are forgotten", not open_ones, f"{world.name}: {open_ones}")
    stage.history.disturb("forgotten", world.name, *gone)
    stage.history.forgotten_names.update((world.name, s.job.name) for s in before if s.job_id in gone)
    stage.history.note("prune")


def come_to_rest(stage: Stage, audit: Audit) -> None:
    """Stop disturbing, and see every queue run empty within a bound."""
    stage.settle()
    for world in stage.worlds:
        stage.call(world, "job", "release", *stage.history.ids(world.name)[-1:])
    stage.settle()
    deadline = time.monotonic() + REST_S
    still_open = {world.name: 1 for world in stage.worlds}
    while any(still_open.values()) and time.monotonic() < deadline:
        time.sleep(0.5)
        for world in stage.worlds:
            open_jobs = [s for s in stage.statuses(world) if s.state not in FINAL_STATES]
            still_open[world.name] = len(open_jobs)
            held = [status.job_id for status in open_jobs if status.held]
            if held:
                world.ogai("job", "release", *held).communicate()
    audit.check("the queue runs empty", not any(still_open.values()), f"{still_open} open after {REST_S:g} s")


def conclude(stage: Stage, audit: Audit) -> None:
    """Check what must hold in the end."""
    for world in stage.worlds:
        statuses = stage.statuses(world)
        for status in statuses:
            what = f"{world.name}: job {status.job_id}: {status.state}"
            audit.check("every job has one final state", status.state in FINAL_STATES, what)
        audit.submissions(world, statuses)
        audit.jobs(world, statuses)
        world.ogai("agent", "stop").communicate()
    deadline = time.monotonic() + GONE_S
    while any(map(living_agent, stage.worlds)) and time.monotonic() < deadline:
        time.sleep(0.1)
    look(stage, audit)
    check_gone(audit, stage.ground)
    check_ledger(audit, stage.ground)
    for world in stage.worlds:
        check_secrets(audit, world)
        check_store(audit, world)
    audit.checked["every command ends sensibly"] += stage.called
    for trouble in stage.troubles:
        audit.check("every command ends sensibly", False, trouble)


def keep_evidence(stage: Stage, audit: Audit) -> None:
    """Copy the homes off their disks if they are needed to understand a violation."""
    if not audit.violations:
        return
    for world in stage.worlds:
        if world.disk is not None:
            subprocess.run(["cp", "-a", world.home, stage.ground.folder / f"home-{world.name}"], check=True)
