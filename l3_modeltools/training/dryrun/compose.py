"""A step put together from passes that were made once each: what is held, and what each pass adds to it, in order."""

from collections import Counter
from dataclasses import dataclass

from l3_modeltools.planning.cost import Setting
from l3_modeltools.training.dryrun.measure import Measured, Whole
from l3_modeltools.training.dryrun.record import Course, Tally
from l3_modeltools.training.dryrun.report import StageRun, TensorBytes
from l3_modeltools.training.dryrun.schedule import Action, actions_of

__all__ = ["composed", "summed_up"]


@dataclass(slots=True)
class _Sum:
    """Bytes while a step goes on."""

    now: TensorBytes
    peak: TensorBytes
    moment: str = "before the first pass"

    def add(self, course: Course, moment: str) -> None:
        """Go through a pass."""
        reached = self.now + course.peak
        if reached.total > self.peak.total:
            self.peak, self.moment = reached, moment
        self.now = self.now + course.left


def composed(measured: Measured, setting: Setting, stage: int) -> StageRun:
    """Repeat the passes of a stage in the order of its schedule."""
    order = actions_of(setting.strategy, stage=stage, microbatches=setting.microbatches)
    total, tally = _Sum(measured.held, measured.held), Tally()
    for action in order:
        total.add(measured.passes[action].course, _named(action, setting))
    for action, times in Counter(order).items():
        tally.add(measured.passes[action].tally, times)
    tally.add(measured.step.tally, 1)
    total.add(measured.step.course, "optimizer")
    return _told(total, tally, order, setting, stage)


def summed_up(whole: Whole, setting: Setting, stage: int) -> StageRun:
    """Add up the passes of a step that were all made."""
    total, tally = _Sum(whole.held, whole.held), Tally()
    for action, one in whole.passes:
        total.add(one.course, _named(action, setting))
        tally.add(one.tally, 1)
    tally.add(whole.step.tally, 1)
    total.add(whole.step.course, "optimizer")
    return _told(total, tally, tuple(action for action, _ in whole.passes), setting, stage)


def _named(action: Action, setting: Setting) -> str:
    kind = "gradients of weights" if action.kind == "weights" else action.kind
    return kind if setting.strategy.degrees.vp == 1 else f"{kind}, virtual stage {action.chunk}"


def _told(total: _Sum, tally: Tally, order: tuple[Action, ...], setting: Setting, stage: int) -> StageRun:
    layers = [row[stage] for row in setting.stages]
    return StageRun(
        stage=stage,
        layers=sum(layers),
        in_flight=_in_flight(order, layers),
        peak=total.peak,
        moment=total.moment,
        operators=tally.counts(),
        flops=tally.flops,
        traffic=tally.traffic(),
    )


def _in_flight(order: tuple[Action, ...], layers: list[int]) -> float:
    """Micro batches kept at once at most, by layers."""
    kept = most = 0
    for action in order:
        kept += {"forward": 1, "backward": -1, "weights": 0}[action.kind] * layers[action.chunk]
        most = max(most, kept)
    return most / sum(layers)
