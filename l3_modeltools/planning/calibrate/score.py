"""What the cost model says of measured runs, and how far off it is, data set by data set."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from statistics import mean, median

from l0_infra.schemas import Device
from l3_modeltools.planning.calibrate.runs import MeasuredRun
from l3_modeltools.planning.cost.seconds import time_of
from l3_modeltools.schemas import Calibration, Machine, Network

__all__ = ["DatasetScore", "Scored", "machine_of", "score_runs"]

NODE = 8
PORT_SHARE = 0.78125
"""A port for each accelerator, the widest its PCIe slot feeds: 200 Gb/s behind PCIe 4.0, 400 Gb/s behind 5.0."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Scored:
    """One run with what the model says of it, in seconds."""

    run: MeasuredRun
    step_s: float

    @property
    def error(self) -> float | None:
        """Predicted over measured, less one; None where nothing was measured."""
        return None if self.run.step_s is None else self.step_s / self.run.step_s - 1


@dataclass(frozen=True, kw_only=True, slots=True)
class DatasetScore:
    """How far off the model is for one data set; shares, 0.05 being 5 %."""

    dataset: str
    rows: int
    mape: float
    median: float
    worst: float
    bias: float

    @classmethod
    def of(cls, dataset: str, errors: Sequence[float]) -> "DatasetScore":
        """Sum errors up."""
        sizes = [abs(error) for error in errors]
        return cls(
            dataset=dataset,
            rows=len(errors),
            mape=mean(sizes),
            median=median(sizes),
            worst=max(errors, key=abs),
            bias=mean(errors),
        )


def machine_of(run: MeasuredRun, device: Device) -> Machine:
    """The machine that a run is taken to have had: nodes of eight, a network port for each accelerator."""
    per_node = min(NODE, run.devices)
    slot = max((link.bandwidth_bytes_per_s for link in device.links if link.kind == "pcie"), default=3.2e10)
    return Machine(
        name="measured",
        device=device.name,
        nodes=-(-run.devices // per_node),
        devices_per_node=per_node,
        network=Network(bytes_per_s_per_device=slot * PORT_SHARE),
    )


def score_runs(
    runs: Iterable[MeasuredRun], devices: Mapping[str, Device], calibration: Calibration
) -> tuple[Scored, ...]:
    """Predict every run; `devices` has the data sheet for each name that the runs have."""
    return tuple(Scored(run=run, step_s=_predict(run, devices[run.device], calibration)) for run in runs)


def _predict(run: MeasuredRun, device: Device, calibration: Calibration) -> float:
    machine = machine_of(run, device)
    return min(time_of(setting, machine, device, calibration).total for setting in run.settings)
