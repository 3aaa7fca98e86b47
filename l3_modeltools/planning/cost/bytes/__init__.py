"""How much memory each rank needs in a step, by pipeline stage and term; pure, and fast enough to be searched with."""

from l3_modeltools.planning.cost.bytes.account import memory_of
from l3_modeltools.planning.cost.bytes.terms import StageMemory, StepMemory

__all__ = ["StageMemory", "StepMemory", "memory_of"]
