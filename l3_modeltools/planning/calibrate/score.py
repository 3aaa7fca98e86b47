"""What the cost model says of measured runs, and how far off it is, data set by data set."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from statistics import mean, median

from l0_infra.core.errors import UnsatisfiableError
from l0_infra.schemas import Device
from l3_modeltools.architectures import flops_per_token
from l3_modeltools.frameworks import PRACTICES
from l3_modeltools.planning.calibrate.runs import MeasuredRun
from l3_modeltools.planning.cost import Setting
from l3_modeltools.planning.cost.bytes import memory_of
from l3_modeltools.planning.cost.seconds import time_of
from l3_modeltools.planning.machines import machine_like
from l3_modeltools.schemas import Calibration

__all__ = ["DatasetScore", "Errors", "Scored", "score_datasets", "score_runs"]


@dataclass(frozen=True, kw_only=True, slots=True)
class Scored:
    """One run with what the model says of it; what it refuses has a reason and nothing else.

    `doubted` says why what was measured cannot be: its error counts for nothing.
    """

    run: MeasuredRun
    step_s: float | None = None
    peak_bytes: int | None = None
    refused: str | None = None
    doubted: str | None = None

    @property
    def step_error(self) -> float | None:
        """Predicted over measured seconds, less one; None where nothing was measured that can be."""
        return None if self.doubted else _error(self.step_s, self.run.step_s)

    @property
    def peak_error(self) -> float | None:
        """The same of the peak of memory."""
        return _error(self.peak_bytes, self.run.peak_bytes)


@dataclass(frozen=True, kw_only=True, slots=True)
class Errors:
    """How far off the model is; shares, 0.05 being 5 %."""

    rows: int
    mape: float
    median: float
    worst: float
    bias: float

    @classmethod
    def of(cls, errors: Sequence[float]) -> "Errors | None":
        """Sum errors up; None where there are none."""
        if not errors:
            return None
        sizes = [abs(error) for error in errors]
        return cls(
            rows=len(errors),
            mape=mean(sizes),
            median=median(sizes),
            worst=max(errors, key=abs),
            bias=mean(errors),
        )


@dataclass(frozen=True, kw_only=True, slots=True)
class DatasetScore:
    """One data set: its runs, those that the planner would have refused, and errors of what was measured."""

    dataset: str
    rows: int
    refused: int
    doubted: int
    time: Errors | None
    memory: Errors | None


def score_runs(
    runs: Iterable[MeasuredRun], devices: Mapping[str, Device], calibration: Calibration
) -> tuple[Scored, ...]:
    """Predict every run; `devices` has the data sheet for each name that the runs have."""
    return tuple(_score(run, devices[run.device], calibration) for run in runs)


def score_datasets(scored: Iterable[Scored]) -> tuple[DatasetScore, ...]:
    """Sum up by data set, in the order in which they come."""
    sets: dict[str, list[Scored]] = {}
    for one in scored:
        sets.setdefault(one.run.dataset, []).append(one)
    return tuple(
        DatasetScore(
            dataset=name,
            rows=len(found),
            refused=sum(one.refused is not None for one in found),
            doubted=sum(one.doubted is not None for one in found),
            time=Errors.of([one.step_error for one in found if one.step_error is not None]),
            memory=Errors.of([one.peak_error for one in found if one.peak_error is not None]),
        )
        for name, found in sets.items()
    )


def _error(found: float | None, measured: float | None) -> float | None:
    return None if found is None or measured is None else found / measured - 1


def _score(run: MeasuredRun, device: Device, calibration: Calibration) -> Scored:
    """Of what a run may have been, the fastest."""
    if run.refused is not None:
        return Scored(run=run, refused=run.refused)
    machine = machine_like(device, run.devices, name="measured")
    try:
        steps = [time_of(setting, machine, device, calibration).total for setting in run.settings]
    except UnsatisfiableError as error:
        return Scored(run=run, refused=f"{error.where}: found {error.found}")
    step = min(steps)
    peak = _peak(run.settings[steps.index(step)], run.framework) if run.peak_bytes is not None else None
    return Scored(run=run, step_s=step, peak_bytes=peak, doubted=_doubt(run, device))


def _doubt(run: MeasuredRun, device: Device) -> str | None:
    """Say so where a run did more arithmetic than its devices can, by what the model asks for alone."""
    setting = run.settings[0]
    peak = max(
        (one.flop_per_s for one in device.peak if one.precision == setting.practice.compute), default=None
    )
    if run.step_s is None or peak is None:
        return None
    tokens = setting.global_batch_size * setting.sequence_length
    flops = tokens * flops_per_token(setting.architecture, setting.sequence_length)
    rate = flops / run.devices / run.step_s
    if rate <= peak:
        return None
    return f"{rate / 1e12:,.0f} TFLOP/s on each `{device.name}`, whose peak is {peak / 1e12:,.0f}"


def _peak(setting: Setting, framework: str) -> int:
    """The fullest stage, by what the framework reports: tensors, or what its allocator took for them."""
    allocated = PRACTICES[framework].reports == "allocated"
    return max(stage.allocated if allocated else stage.reserved for stage in memory_of(setting).stages)
