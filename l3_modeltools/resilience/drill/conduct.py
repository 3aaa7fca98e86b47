"""Does a drill to a run that is going on: gives one order after the other and watches what the run makes of each."""

import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from statistics import median

import msgspec

from l3_modeltools.resilience.drill.judge import DrillResult, Seen, judge_blow
from l3_modeltools.resilience.drill.kinds import HISTORY
from l3_modeltools.resilience.drill.orders import LASTING, Order, append_order, read_fired, withdraw_order
from l3_modeltools.resilience.drill.plan import DrillPlan, PlannedBlow
from l3_modeltools.runs import LineReader, Metric, RunLayout, list_saved, parse_metrics, read_faults

__all__ = ["Clock", "Conductor", "Recorder"]

AHEAD_S = 0.5
"""How far ahead of the run an order is given, so that every rank reads it before its step."""

AHEAD_STEPS = 2

PAUSE_S = 0.1
"""Between two looks."""

PATIENCE_S = 180.0
"""How long to wait for what must come before a blow, and for the step after it."""

WINDOW = 50
"""Steps whose median is the length of a step now."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Clock:
    """Time, as a drill reads it and waits for it."""

    now: Callable[[], float]
    """In seconds since the epoch."""
    sleep: Callable[[float], None]


class Recorder:
    """Every step that a run told, in the order of its file, those that came again too."""

    def __init__(self, directory: Path) -> None:
        self._lines = LineReader(RunLayout(directory).metrics)
        self._told: list[Metric] = []

    def look(self) -> tuple[Metric, ...]:
        """Return all steps told so far."""
        self._told += [metric for line in self._lines.read() for metric in parse_metrics(line)]
        return tuple(self._told)

    def step_s(self) -> float:
        """Return the median length of the last steps; 1 s where none was told."""
        return median([metric.step_s for metric in self._told[-WINDOW:] if metric.step_s] or [1.0])


@dataclass(kw_only=True)
class Conductor:
    """Carries a plan out on the run in `directory`, which goes on; `is_alive` says whether it still does."""

    directory: Path
    clock: Clock
    is_alive: Callable[[], bool]
    tell: Callable[[str], None]
    """Hears what happens, in sentences."""
    outstanding: list[Order] = field(default_factory=list)
    """Orders that still hold."""

    def __post_init__(self) -> None:
        self.recorder = Recorder(self.directory)

    def run(self, plan: DrillPlan) -> Iterator[DrillResult]:
        """Do each fault of the plan, and yield how it was taken; ends early with the run.

        However it is left, no order stays behind.
        """
        try:
            for blow in plan.blows:
                if not self._wait_until_ready(blow):
                    self.tell(f"not done, the run never came to it: {blow.describe()}")
                    return
                yield self._strike(blow)
        finally:
            self.withdraw()

    def withdraw(self) -> None:
        """Take back every order that still holds."""
        while self.outstanding:
            withdraw_order(self.directory, self.outstanding.pop())

    def _strike(self, blow: PlannedBlow) -> DrillResult:
        known = len(read_faults(self.directory))
        drawn = blow.lasting(self.recorder.step_s())
        order = append_order(self.directory, msgspec.structs.replace(drawn, step=self._next_step()))
        self.outstanding.append(order)
        self.tell(f"step {order.step}: {blow.describe()}")
        number = order.id
        lifted_at: float | None = None

        def judged() -> DrillResult:
            seen = Seen(
                fired=tuple(one for one in read_fired(self.directory) if one.id == number),
                faults=read_faults(self.directory)[known:],
                told=self.recorder.look(),
                lasts_until=lifted_at,
            )
            return judge_blow(blow, number, seen)

        result = self._wait(judged, lambda found: found.verdict != "not_fired", self._time_to_fire(blow))
        if result.verdict != "not_fired":
            result = self._wait(judged, lambda found: found.verdict == "right", self._time_to_notice(blow))
            if order.fault in LASTING:
                self.withdraw()
                lifted_at = self.clock.now()
            result = self._wait(judged, lambda found: found.resumed_after_s is not None, PATIENCE_S)
        self.withdraw()
        return result

    def _wait(
        self, judged: Callable[[], DrillResult], is_enough: Callable[[DrillResult], bool], limit_s: float
    ) -> DrillResult:
        until = self.clock.now() + limit_s
        result = judged()
        while not is_enough(result) and self.clock.now() < until and self.is_alive():
            self.clock.sleep(PAUSE_S)
            result = judged()
        return result

    def _wait_until_ready(self, blow: PlannedBlow) -> bool:
        """Wait until a run takes steps again and has what a blow needs."""
        begun = self.clock.now()
        first = len(self.recorder.look())
        while self.is_alive():
            self.clock.sleep(PAUSE_S)
            fresh = len(self.recorder.look()) - first
            if fresh >= AHEAD_STEPS and self._has_what(blow):
                return True
            if self.clock.now() > begun + PATIENCE_S + HISTORY * self.recorder.step_s():
                return False
        return False

    def _has_what(self, blow: PlannedBlow) -> bool:
        match blow.kind.needs:
            case "checkpoint":
                return bool(list_saved(self.directory))
            case "history":
                return len(self.recorder.look()) >= HISTORY
            case _:
                return True

    def _next_step(self) -> int:
        """Name a step that no rank has begun yet."""
        told = self.recorder.look()
        ahead = max(AHEAD_STEPS, math.ceil(AHEAD_S / self.recorder.step_s()))
        return told[-1].step + 1 + ahead

    def _time_to_fire(self, blow: PlannedBlow) -> float:
        """A blow to a save waits for one."""
        waits_for_save = blow.kind.needs == "save" or blow.order.where == "save"
        return (10 if waits_for_save else 1) * PATIENCE_S

    def _time_to_notice(self, blow: PlannedBlow) -> float:
        return blow.kind.patience_s + blow.kind.patience_steps * self.recorder.step_s()
