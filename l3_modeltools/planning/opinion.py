"""What we think of a strategy that somebody else chose: its memory by stage and, on a known machine, its seconds.

What we would change is the search's to say; it is asked with the same setting.
"""

from dataclasses import dataclass

from l0_infra.schemas import Device
from l3_modeltools.planning.cost import Setting, StepTime, time_of
from l3_modeltools.planning.cost.bytes import StepMemory, memory_of
from l3_modeltools.schemas import Calibration, Machine, Practice, Strategy

__all__ = ["Opinion", "Site", "give_opinion", "setting_of"]


@dataclass(frozen=True, kw_only=True, slots=True)
class Site:
    """Where it would run, and the figures its time is worked out with."""

    machine: Machine
    device: Device
    calibration: Calibration


@dataclass(frozen=True, kw_only=True, slots=True)
class Opinion:
    """What a step would need."""

    memory: StepMemory
    time: StepTime | None
    """None: nobody said where it runs."""


def setting_of(strategy: Strategy, practice: Practice) -> Setting | None:
    """The step that a strategy is made for; None without a workload."""
    workload = strategy.workload
    if workload is None:
        return None
    return Setting(
        architecture=workload.architecture,
        strategy=strategy,
        sequence_length=workload.sequence_length,
        global_batch_size=workload.global_batch_size,
        practice=practice,
    )


def give_opinion(strategy: Strategy, practice: Practice, site: Site | None = None) -> Opinion | None:
    """Work out a step; None for a strategy without a workload, which says nothing of model and batch."""
    setting = setting_of(strategy, practice)
    if setting is None:
        return None
    if site is None:
        return Opinion(memory=memory_of(setting), time=None)
    return Opinion(
        memory=memory_of(setting, site.device.memory_bytes),
        time=time_of(setting, site.machine, site.device, site.calibration),
    )
