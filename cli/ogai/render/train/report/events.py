"""What happened at which step: faults, restarts, saves, and the steps that were left out or done twice."""

from collections.abc import Iterator

from l3_modeltools import Metric
from l3_modeltools.schemas import TrainingFault
from ogai.flows.train.report import RunReport
from ogai.render.report import Band, Key, Pin, Tone

__all__ = ["event_bands", "event_keys", "event_pins", "fault_tone", "step_at"]

LEFT_OUT: Tone = "warn"
DONE_TWICE: Tone = "bad"
SAVED: Tone = "muted"
RESTARTED: Tone = "faint"

HARMLESS = ("none", None)
"""What was done about a fault that stopped nothing."""


def fault_tone(fault: TrainingFault) -> Tone:
    """Tell a fault that stopped the run from one that was only told."""
    return "warn" if fault.taken in HARMLESS and fault.resumed_at is None else "bad"


def step_at(metrics: tuple[Metric, ...], at: float) -> int:
    """Return the last step that was done at a time, as far as the metrics tell; 0 before the first."""
    return max((metric.step for metric in metrics if metric.at is not None and metric.at <= at), default=0)


def event_pins(report: RunReport) -> Iterator[Pin]:
    """Yield saves, restarts of the job, and faults by their numbers."""
    yield from (Pin(x=step, tone=SAVED, shape="tick") for step in _saves(report))
    yield from (Pin(x=step_at(report.metrics, at), tone=RESTARTED) for at in _unexplained(report))
    for fault in report.faults:
        step = step_at(report.metrics, fault.detected_at) if fault.step is None else fault.step
        yield Pin(x=step, tone=fault_tone(fault), label=str(fault.fault_id))


def event_bands(report: RunReport) -> Iterator[Band]:
    """Yield the steps that were left out for good, and those that were done twice."""
    for skipped in report.run.skipped:
        yield Band(start=skipped.first_step - 0.5, end=skipped.last_step + 0.5, tone=LEFT_OUT)
    for fault in report.faults:
        if fault.step is not None and fault.redone_steps:
            yield Band(start=fault.step - fault.redone_steps, end=fault.step, tone=DONE_TWICE)


def event_keys(report: RunReport) -> Iterator[Key]:
    """Yield the legend of what there is."""
    tones = {fault_tone(fault) for fault in report.faults}
    if tones:
        yield Key(name="fault, by number", tone="bad" if "bad" in tones else "warn", shape="pin")
    if _unexplained(report):
        yield Key(name="restart", tone=RESTARTED, shape="pin")
    if any(fault.redone_steps for fault in report.faults):
        yield Key(name="steps done twice", tone=DONE_TWICE, shape="band")
    if report.run.skipped:
        yield Key(name="batches left out", tone=LEFT_OUT, shape="band")
    if _saves(report):
        yield Key(name="checkpoint", tone=SAVED, shape="tick")


def _unexplained(report: RunReport) -> list[float]:
    """Return the restarts that are not what was done about a fault."""
    spans = [(f.detected_at, f.resumed_at) for f in report.faults if f.resumed_at is not None]
    return [at for at in report.run.restarts if not any(start <= at <= end for start, end in spans)]


def _saves(report: RunReport) -> list[int]:
    marked = {mark.step for mark in report.marks if mark.mark == "saved" and mark.step is not None}
    return sorted(marked | {saved.step for saved in report.run.checkpoints})
