"""How much memory each rank needs in a step, by pipeline stage and term; pure, and fast enough to be searched with."""

from l3_modeltools.planning.cost.bytes.account import Like, like_of, memory_of, stage_bytes
from l3_modeltools.planning.cost.bytes.decompose import Decomposition, StagePeak, decompose, stage_peaks
from l3_modeltools.planning.cost.bytes.flight import in_flight
from l3_modeltools.planning.cost.bytes.layer import Layer, layers_of
from l3_modeltools.planning.cost.bytes.place import Chunk, Stage, stages_of
from l3_modeltools.planning.cost.bytes.tensors import Tensor, layer_tensors, rank_of
from l3_modeltools.planning.cost.bytes.terms import StageMemory, StepMemory

__all__ = [
    "Chunk",
    "Decomposition",
    "Layer",
    "Like",
    "Stage",
    "StageMemory",
    "StagePeak",
    "StepMemory",
    "Tensor",
    "decompose",
    "in_flight",
    "layer_tensors",
    "layers_of",
    "like_of",
    "memory_of",
    "rank_of",
    "stage_bytes",
    "stage_peaks",
    "stages_of",
]
