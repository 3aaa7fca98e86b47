"""How long a training step takes, term by term."""

from l3_modeltools.planning.cost.seconds.rates import Rates
from l3_modeltools.planning.cost.seconds.step import StepTime, time_of

__all__ = ["Rates", "StepTime", "time_of"]
