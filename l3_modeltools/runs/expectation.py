"""What was planned of a run beside what was measured of it."""

from collections.abc import Sequence
from dataclasses import dataclass
from statistics import median

from l3_modeltools.runs.metric import Metric
from l3_modeltools.schemas import Run

__all__ = ["Met", "expectations", "measured_peak_bytes", "measured_step_s"]

WARM_UP = 3
"""Steps after which a process has compiled, cached and allocated what it needs."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Met:
    """One number, planned and measured: seconds, or bytes."""

    what: str
    unit: str
    planned: float
    measured: float

    @property
    def error(self) -> float:
        """Planned over measured, less one."""
        return self.planned / self.measured - 1


def expectations(run: Run, metrics: Sequence[Metric]) -> tuple[Met, ...]:
    """Set a plan beside the metrics of a run, by step; nothing for what was not planned or not told."""
    planned, met = run.expected, []
    if planned is None:
        return ()
    step, peak = measured_step_s(run, metrics), measured_peak_bytes(metrics)
    if planned.step_s is not None and step is not None:
        met.append(Met(what="step", unit="s", planned=planned.step_s, measured=step))
    if peak is not None:
        met.append(Met(what="memory", unit="bytes", planned=float(planned.memory_bytes), measured=peak))
    return tuple(met)


def measured_step_s(run: Run, metrics: Sequence[Metric]) -> float | None:
    """Seconds of a step: the median of those after the first few; None when no speed is told."""
    data, warm = run.train.data, [m for m in metrics if m.step > WARM_UP]
    if told := [m.step_s for m in warm if m.step_s]:
        return median(told)
    speeds = [m.tokens_per_s for m in warm if m.tokens_per_s]
    if data is None or not speeds:
        return None
    return data.global_batch_size * data.sequence_length / median(speeds)


def measured_peak_bytes(metrics: Sequence[Metric]) -> float | None:
    """The most memory that the telling rank has had; None when it does not tell."""
    return max((m.memory_bytes for m in metrics if m.memory_bytes), default=None)
