"""The wall clock of a supervised run is set while it trains, ahead and back, by hours and by seconds."""

import os
import random
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from faked_clock import faked_clock, set_clock, sweep_faked_clocks

from drills.ledger import Ledger
from drills.stage import ROOT, Supervised, last_step, make_run
from l3_modeltools.resilience.accounts import account
from l3_modeltools.runs import OneClock, load_run, read_faults, read_marks, read_metric_lines, read_metrics
from l3_modeltools.schemas import SkippedSteps, Train

__all__ = ["set_the_clock"]

SLEEPERS = Path(__file__).with_name("sleepers")
FIRST_STEPS_S = 300.0
NOTICE_S = 60.0
STEPS = 40
"""Before the clock is set first, and after each time: enough to know a hang, a straggler, a spike."""

EXACT_S = 1.0
HOUR_S = 3600


@dataclass(kw_only=True)
class Faked:
    """The clock of a run, and by how much it was set so far."""

    file: Path
    offset_s: int = 0

    def set(self, by_s: int) -> None:
        self.offset_s += by_s
        set_clock(self.file, self.offset_s)


def set_the_clock(
    home: Path, train: Train, skipped: tuple[SkippedSteps, ...], library: Path, *, seed: int, ledger: Ledger
) -> Path:
    """Have a run meet every kind of jump, be stopped and go on; return its directory."""
    clock = Faked(file=home / "clock.txt")
    clock.set(0)
    directory, begun_s = make_run(home / "clock", train, skipped=skipped), time.monotonic()
    jumps = draw_jumps(random.Random(seed))
    codes = [
        _train_on(directory, clock, library, jumps, ledger),
        _train_on(directory, clock, library, [], ledger),
    ]
    elapsed_s, until = time.monotonic() - begun_s, time.time() + clock.offset_s
    sweep_faked_clocks()
    found = [
        *_untold(directory, jumps),
        *([f"exit codes {codes}, expected 143 twice"] if codes != [143, 143] else []),
    ]
    ledger.check(
        "a clock that is set is told as that, nothing else, and stops no rank", found, times=len(jumps)
    )
    wrong = list(_lost_time(directory, until=until, elapsed_s=elapsed_s))
    ledger.check("no time of a run is lost or added where its clock is set", wrong)
    return directory


def draw_jumps(rng: random.Random) -> list[int]:
    """Draw seconds ahead: by hours and by seconds, both ways, the way back beyond the beginning of the run."""
    hours, seconds = (1 * HOUR_S, 8 * HOUR_S), (2, 90)
    return [
        rng.randint(*hours),
        rng.randint(*seconds),
        -rng.randint(*hours) - 8 * HOUR_S,
        -rng.randint(*seconds),
        rng.randint(*hours),
    ]


def _train_on(directory: Path, clock: Faked, library: Path, jumps: list[int], ledger: Ledger) -> int | None:
    """Start a run, or have it go on, set its clock again and again, and stop it; return how its supervisor ended."""
    paths = os.pathsep.join(map(str, (SLEEPERS, ROOT, ROOT / "cli")))
    # libfaketime mends waits for conditions of old C libraries, which makes those of today ten times as slow
    settings = {"PYTHONPATH": paths, "FAKETIME_FORCE_MONOTONIC_FIX": "0"}
    run = Supervised(directory, variables={**faked_clock(library, clock.file), **settings})
    try:
        run.wait_for_step(last_step(directory) + STEPS, limit_s=FIRST_STEPS_S)
        for by_s in jumps:
            known = len(read_faults(directory))
            print(f"   the clock is set by {by_s:+,} s", flush=True)
            clock.set(by_s)
            until = time.monotonic() + NOTICE_S
            while len(read_faults(directory)) == known and run.is_alive() and time.monotonic() < until:
                time.sleep(0.1)
            run.wait_for_step(last_step(directory) + STEPS, limit_s=NOTICE_S)
            ledger.done["clock set"] += 1
    finally:
        run.stop()
    return run.process.returncode


def _untold(directory: Path, jumps: list[int]) -> Iterator[str]:
    """Yield what was not told of the jumps, and what was told or done beside."""
    marks, faults = read_marks(directory), read_faults(directory)
    told = [mark.seconds or 0.0 for mark in marks if mark.mark == "clock_set"]
    if len(told) != len(jumps) or any(abs(a - b) > EXACT_S for a, b in zip(told, jumps, strict=True)):
        yield f"set by {jumps} s, told {told}"
    yield from (
        f"told as {fault.fault_class}: {fault.summary}"
        for fault in faults
        if fault.fault_class != "clock_jump"
    )
    begun = [mark.mark for mark in marks if mark.mark in ("supervised", "spawned", "ready")]
    if begun != ["supervised", "spawned", "ready"] * 2:
        yield f"begun {begun}"
    ready = [mark.step for mark in marks if mark.mark == "ready"]
    saved = [mark.step for mark in marks if mark.mark == "saved"]
    if ready[-1] not in saved or ready[-1] == 0:
        yield f"stopped and went on after step {ready[-1]}; saved {saved}"


def _lost_time(directory: Path, *, until: float, elapsed_s: float) -> Iterator[str]:
    """Yield where the account of the run's time differs from what passed."""
    submitted_at = load_run(directory).submitted_at
    clock = OneClock(read_marks(directory), submitted_at)
    lines = read_metric_lines(directory, clock)
    accounts = account(
        submitted_at=clock.submitted_at,
        until=until,
        starts=(),
        marks=clock.marks,
        faults=clock.faults(read_faults(directory)),
        lines=lines,
    )
    if abs(accounts.wall_s - elapsed_s) > EXACT_S:
        yield f"{accounts.wall_s:.1f} s accounted for, {elapsed_s:.1f} s passed"
    stepped_s = sum(metric.step_s or 0.0 for metric in read_metrics(directory, clock))
    productive_s = accounts.spent_s["productive"]
    if abs(productive_s - stepped_s) > EXACT_S:
        yield f"{productive_s:.1f} s productive, the steps took {stepped_s:.1f} s"
    before = [line.at or 0.0 for line in lines]
    if before != sorted(before):
        yield "steps that go back in time"
