"""Runs the passes of a stage under fake tensors: each kind once, or all of a step."""

import gc
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass

from torch._subclasses import FakeTensorMode

from l3_modeltools.planning.cost import Setting
from l3_modeltools.training.dryrun.rank import Rank
from l3_modeltools.training.dryrun.record import Course, Ledger, Tally, Watch
from l3_modeltools.training.dryrun.report import TensorBytes
from l3_modeltools.training.dryrun.schedule import Action, actions_of
from l3_modeltools.training.dryrun.stage import Stage

__all__ = ["Measured", "Pass", "Whole", "measure_each", "measure_whole"]


@dataclass(frozen=True, kw_only=True, slots=True)
class Pass:
    """What one pass did."""

    course: Course
    tally: Tally


@dataclass(frozen=True, kw_only=True, slots=True)
class Measured:
    """A stage's passes, each made once: they are the same whenever they are made."""

    held: TensorBytes
    """Before the first pass."""
    passes: dict[Action, Pass]
    step: Pass


@dataclass(frozen=True, kw_only=True, slots=True)
class Whole:
    """A stage's passes in the order of its schedule, all of them made."""

    held: TensorBytes
    passes: tuple[tuple[Action, Pass], ...]
    step: Pass


def measure_each(setting: Setting, stage: int) -> Measured:
    """Make each pass of a stage once."""
    with _running(setting, stage) as run:
        held = run.ledger.sums()
        kinds = ("forward", "backward", *(("weights",) if run.stage.defers else ()))
        passes = {}
        for chunk in range(setting.strategy.degrees.vp):
            for kind in kinds:
                action = Action(kind, chunk)
                passes[action] = run.act(action)
        return Measured(held=held, passes=passes, step=run.finish())


def measure_whole(setting: Setting, stage: int) -> Whole:
    """Make all passes of a step in order, micro batch after micro batch: what `measure_each` is proven by."""
    order = actions_of(setting.strategy, stage=stage, microbatches=setting.microbatches)
    with _running(setting, stage) as run:
        held = run.ledger.sums()
        passes = tuple((action, run.act(action)) for action in order)
        return Whole(held=held, passes=passes, step=run.finish())


@dataclass(frozen=True, slots=True)
class _Run:
    stage: Stage
    ledger: Ledger
    watch: Watch

    def act(self, action: Action) -> Pass:
        passes = {
            "forward": self.stage.forward,
            "backward": self.stage.backward,
            "weights": self.stage.weights,
        }
        return self._watched(lambda: passes[action.kind](action.chunk))

    def finish(self) -> Pass:
        return self._watched(self.stage.step)

    def _watched(self, do: Callable[[], object]) -> Pass:
        self.watch.tally = Tally()
        with self.ledger.action() as action:
            do()
        return Pass(course=action.course, tally=self.watch.tally)


@contextmanager
def _running(setting: Setting, stage: int) -> Iterator[_Run]:
    """Build a stage; garbage is not collected meanwhile, so that storages end when their last tensor does."""
    was_enabled = gc.isenabled()
    gc.disable()
    try:
        ledger = Ledger()
        watch = Watch(ledger)
        with FakeTensorMode(), watch:
            yield _Run(Stage(Rank(setting), stage, ledger), ledger, watch)
    finally:
        if was_enabled:
            gc.enable()
