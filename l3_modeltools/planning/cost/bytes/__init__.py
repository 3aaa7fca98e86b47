"""How much memory each rank needs in a step, by pipeline stage and term; pure, and fast enough to be searched with."""

from l3_modeltools.planning.cost.bytes.account import memory_of
from l3_modeltools.planning.cost.bytes.decompose import Decomposition, StagePeak, decompose, stage_peaks
from l3_modeltools.planning.cost.bytes.tensors import Tensor, layer_tensors, rank_of
from l3_modeltools.planning.cost.bytes.terms import StageMemory, StepMemory

__all__ = [
    "Decomposition",
    "StageMemory",
    "StagePeak",
    "StepMemory",
    "Tensor",
    "decompose",
    "layer_tensors",
    "memory_of",
    "rank_of",
    "stage_peaks",
]
