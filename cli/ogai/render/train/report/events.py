"""What happened at which step: faults, restarts, saves, and the steps that were left out or done twice."""

from bisect import bisect_right
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import accumulate

from l3_modeltools import Metric
from l3_modeltools.schemas import TrainingFault
from ogai.flows.train.report import RunReport
from ogai.render.report import Band, Key, Pin, Tone

__all__ = ["Events", "StepClock", "fault_tone", "find_events"]

LEFT_OUT: Tone = "warn"
DONE_TWICE: Tone = "bad"
SAVED: Tone = "muted"
RESTARTED: Tone = "faint"

HARMLESS = ("none", None)
"""What was done about a fault that stopped nothing."""

COUNTED_FROM = 100
"""Of so many pins in a chart some lie on each other, so that its legend says how many there are."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Events:
    """All of it, as a chart over the steps shows it."""

    pins: tuple[Pin, ...]
    """Saves, restarts of the job, and faults by their numbers."""
    bands: tuple[Band, ...]
    """Steps that were left out for good, and those that were done twice."""
    keys: tuple[Key, ...]
    """The legend of what there is."""


class StepClock:
    """Tells which step was done when, as far as metrics tell."""

    def __init__(self, metrics: Sequence[Metric]) -> None:
        told = sorted((metric.at, metric.step) for metric in metrics if metric.at is not None)
        self._times = [at for at, _ in told]
        self._steps = list(accumulate((step for _, step in told), max))

    def step_at(self, at: float) -> int:
        """Return the last step that was done at a time; 0 before the first."""
        place = bisect_right(self._times, at)
        return self._steps[place - 1] if place else 0


def find_events(report: RunReport) -> Events:
    """Place all that happened to a run."""
    clock, saves, restarts = StepClock(report.metrics), _saves(report), _unexplained(report)
    return Events(
        pins=(
            *(Pin(x=step, tone=SAVED, shape="tick") for step in saves),
            *(Pin(x=clock.step_at(at), tone=RESTARTED) for at in restarts),
            *(_pin(fault, clock) for fault in report.faults),
        ),
        bands=tuple(_bands(report)),
        keys=tuple(_keys(report, saves=len(saves), restarts=len(restarts))),
    )


def fault_tone(fault: TrainingFault) -> Tone:
    """Tell a fault that stopped the run from one that was only told."""
    return "warn" if fault.taken in HARMLESS and fault.resumed_at is None else "bad"


def _pin(fault: TrainingFault, clock: StepClock) -> Pin:
    step = clock.step_at(fault.detected_at) if fault.step is None else fault.step
    return Pin(x=step, tone=fault_tone(fault), label=str(fault.fault_id))


def _bands(report: RunReport) -> Iterator[Band]:
    for skipped in report.run.skipped:
        yield Band(start=skipped.first_step - 0.5, end=skipped.last_step + 0.5, tone=LEFT_OUT)
    for fault in report.faults:
        if fault.step is not None and fault.redone_steps:
            yield Band(start=fault.step - fault.redone_steps, end=fault.step, tone=DONE_TWICE)


def _keys(report: RunReport, *, saves: int, restarts: int) -> Iterator[Key]:
    tones = {fault_tone(fault) for fault in report.faults}
    if tones:
        name = _counted("fault, by number", "faults", len(report.faults))
        yield Key(name=name, tone="bad" if "bad" in tones else "warn", shape="pin")
    if restarts:
        yield Key(name=_counted("restart", "restarts", restarts), tone=RESTARTED, shape="pin")
    if any(fault.redone_steps for fault in report.faults):
        yield Key(name="steps done twice", tone=DONE_TWICE, shape="band")
    if report.run.skipped:
        yield Key(name="batches left out", tone=LEFT_OUT, shape="band")
    if saves:
        yield Key(name=_counted("checkpoint", "checkpoints", saves), tone=SAVED, shape="tick")


def _counted(one: str, many: str, count: int) -> str:
    return one if count < COUNTED_FROM else f"{count:,} {many}"


def _unexplained(report: RunReport) -> list[float]:
    """Return the restarts that are not what was done about a fault."""
    spans = sorted((f.detected_at, f.resumed_at) for f in report.faults if f.resumed_at is not None)
    begins = [begin for begin, _ in spans]
    ends = list(accumulate((end for _, end in spans), max))

    def is_explained(at: float) -> bool:
        begun = bisect_right(begins, at)
        return begun > 0 and ends[begun - 1] >= at

    return [at for at in report.run.restarts if not is_explained(at)]


def _saves(report: RunReport) -> list[int]:
    marked = {mark.step for mark in report.marks if mark.mark == "saved" and mark.step is not None}
    return sorted(marked | {saved.step for saved in report.run.checkpoints})
