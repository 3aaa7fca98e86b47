"""A drill reads what a run makes of each order from its files alone; a run of paper takes its steps by the clock."""

from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

import msgspec
import pytest

from l3_modeltools.resilience.drill import (
    Clock,
    Conductor,
    DrillResult,
    Fired,
    Order,
    Trouble,
    is_due,
    note_fired,
    plan_drill,
    read_orders,
)
from l3_modeltools.runs import Metric, report_fault
from l3_modeltools.schemas import Evidence, FaultClass, TrainingFault

STEP_S = 0.5


@dataclass
class PaperRun:
    """Takes a step each half a second, does as ordered, and tells `tells` of it two seconds later."""

    directory: Path
    tells: FaultClass | None = "killed"
    ends_after: int = 10_000
    redone: int = 1
    now_s: float = 1000.0
    step: int = 0
    fired: dict[int, float] = field(default_factory=dict)
    to_tell: list[float] = field(default_factory=list)
    on_sleep: Callable[[], None] = lambda: None

    def sleep(self, seconds: float) -> None:
        self.on_sleep()
        self.now_s += seconds
        while self.to_tell and self.to_tell[0] <= self.now_s:
            self.tell_fault(self.to_tell.pop(0))
        while self.step < self.ends_after and (self.step + 1) * STEP_S + 1000.0 <= self.now_s:
            self.take_step()

    def take_step(self) -> None:
        self.step += 1
        for order in read_orders(self.directory):
            rank, fired_at = order.rank or 0, self.fired.get(order.id)
            due = is_due(order, rank=rank, step=self.step, fired_at=fired_at, now=self.now_s)
            if due and order.id not in self.fired:
                self.fire(order)
        line = Metric(step=self.step, at=self.now_s, step_s=STEP_S)
        with (self.directory / "metrics.jsonl").open("ab") as file:
            file.write(msgspec.json.encode(line) + b"\n")

    def fire(self, order: Order) -> None:
        self.fired[order.id] = self.now_s
        note_fired(self.directory, Fired(id=order.id, rank=order.rank or 0, step=self.step, at=self.now_s))
        if self.tells is not None:
            self.to_tell.append(self.now_s + 2.0)
        self.step -= self.redone

    def tell_fault(self, at: float) -> None:
        fault = TrainingFault(
            run="paper",
            fault_class=self.tells or "unknown",
            detected_at=at,
            evidence=(Evidence(source="exit", text="ended"),),
            advised="restart_worker",
        )
        report_fault(self.directory, fault)

    def is_alive(self) -> bool:
        return self.step < self.ends_after


def conductor(run: PaperRun) -> Conductor:
    return Conductor(
        directory=run.directory,
        clock=Clock(now=lambda: run.now_s, sleep=run.sleep),
        is_alive=run.is_alive,
        tell=lambda text: None,
    )


def drilled(run: PaperRun, *troubles: Trouble, count: int | None = None) -> list[DrillResult]:
    return list(conductor(run).run(plan_drill(troubles, seed=5, ranks=2, count=count)))


def test_each_blow_is_seen_through_before_the_next_is_ordered(tmp_path: Path) -> None:
    results = drilled(PaperRun(tmp_path), "kill", count=3)
    assert [result.verdict for result in results] == ["right"] * 3
    assert [result.redone_steps for result in results] == [1, 1, 1]
    assert all(result.noticed_after_s == 2.0 for result in results)
    steps = [result.step or 0 for result in results]
    assert steps == sorted(set(steps))
    assert all(order.withdrawn for order in read_orders(tmp_path))


def test_what_nobody_notices_is_missed_after_a_while(tmp_path: Path) -> None:
    (result,) = drilled(PaperRun(tmp_path, tells=None, redone=0), "disk")
    assert (result.verdict, result.noticed_after_s) == ("missed", None)


def test_what_is_called_something_else_is_wrong(tmp_path: Path) -> None:
    (result,) = drilled(PaperRun(tmp_path, tells="crash"), "kill")
    assert (result.verdict, result.noticed_as) == ("wrong", "crash")


def test_a_drill_ends_with_its_run(tmp_path: Path) -> None:
    results = drilled(PaperRun(tmp_path, ends_after=30), "kill", count=9)
    assert 0 < len(results) < 9


def test_no_order_stays_behind_however_a_drill_is_left(tmp_path: Path) -> None:
    run = PaperRun(tmp_path, tells=None)

    def interrupt() -> None:
        if run.fired:
            raise KeyboardInterrupt

    run.on_sleep = interrupt
    with pytest.raises(KeyboardInterrupt):
        drilled(run, "disk")
    (order,) = read_orders(tmp_path)
    assert order.withdrawn


def test_garbage_waits_until_the_run_knows_what_is_normal(tmp_path: Path) -> None:
    (result,) = drilled(PaperRun(tmp_path, tells="spike", redone=0), "spike")
    assert result.verdict == "right" and (result.step or 0) > 40
