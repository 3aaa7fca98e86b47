"""The timeline of a setting on a machine, by the seconds of its stages."""

from l3_modeltools.planning.cost.seconds.rates import Rates
from l3_modeltools.planning.cost.seconds.stages import StageTime, chunk_times
from l3_modeltools.planning.cost.seconds.step import hand_over_of
from l3_modeltools.planning.cost.setting import Setting
from l3_modeltools.planning.opinion import Site
from l3_modeltools.planning.timeline.simulate import Pace, Timeline, simulate

__all__ = ["timeline_of"]

Chunks = tuple[tuple[StageTime, ...], ...]


def timeline_of(setting: Setting, site: Site) -> Timeline:
    """Simulate a step; what copies exchange and the optimizer come after it.

    Raises UnsatisfiableError for a number format that the device has no peak of.
    """
    rates = Rates.of(site.machine, site.device, setting.practice, site.calibration)
    chunks = chunk_times(setting, rates)
    pace = Pace(
        forward=tuple(tuple(one.forward for one in row) for row in chunks),
        backward=tuple(tuple(one.backward for one in row) for row in chunks),
        weights=tuple(tuple(min(one.weight_gradients, one.backward) for one in row) for row in chunks),
        hand_over=hand_over_of(setting, rates) / 2,
    )
    return simulate(pace, setting.strategy.pipeline.schedule, setting.microbatches)
