"""The timeline of a setting on a machine, by the seconds of its stages."""

from l3_modeltools.planning.cost.seconds.played import pace_of
from l3_modeltools.planning.cost.seconds.rates import Rates
from l3_modeltools.planning.cost.setting import Setting
from l3_modeltools.planning.opinion import Site
from l3_modeltools.planning.schedule import Timeline, simulate

__all__ = ["timeline_of"]


def timeline_of(setting: Setting, site: Site) -> Timeline:
    """Simulate a step; what copies exchange and the optimizer come after it.

    Raises UnsatisfiableError for a number format that the device has no peak of.
    """
    rates = Rates.of(site.machine, site.device, setting.practice, site.calibration)
    return simulate(pace_of(setting, rates), setting.strategy.pipeline.schedule, setting.microbatches)
