"""How long a step of the project's own trainer takes, where the accelerators have a data sheet."""

from msgspec.structs import replace

from l0_infra.core.errors import UnsatisfiableError
from l3_modeltools.frameworks import practice_of
from l3_modeltools.planning.cost import Setting, time_of
from l3_modeltools.planning.opinion import Site
from l3_modeltools.schemas import Architecture, Strategy, Train

__all__ = ["step_seconds"]


def step_seconds(train: Train, architecture: Architecture, site: Site | None) -> float | None:
    """Seconds of a step of `train`, by the strategy that it has; None where nothing tells them.

    Nothing does without accelerators or a data sheet of theirs, in a number format without a peak, and where only an
    adapter is trained or two models are run.
    """
    strategy, data = train.strategy, train.data
    usual = train.model is not None and train.model.lora is None and train.objective.data_format == "text"
    if site is None or strategy is None or data is None or not usual:
        return None
    setting = Setting(
        architecture=architecture,
        strategy=_timed(strategy),
        sequence_length=data.sequence_length,
        global_batch_size=data.global_batch_size,
        practice=replace(practice_of("ogai"), compute=train.compute.precision),
    )
    try:
        return time_of(setting, site.machine, site.device, site.calibration).total
    except UnsatisfiableError:
        return None


def _timed(strategy: Strategy) -> Strategy:
    """A strategy without sharding where there is nobody to share with."""
    return replace(strategy, zero_stage=0) if strategy.degrees.world_size == 1 else strategy
