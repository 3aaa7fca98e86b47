"""What a training step costs on each rank, in bytes and in seconds, term by term: pure functions."""

from l3_modeltools.planning.cost.calibration import load_calibration
from l3_modeltools.planning.cost.seconds import StepTime, time_of
from l3_modeltools.planning.cost.setting import Setting

__all__ = ["Setting", "StepTime", "load_calibration", "time_of"]
