"""What a training needs before it runs: memory by term, disk, a way to spread it; or why it cannot be."""

from l3_modeltools.planning.faults import plan_faults
from l3_modeltools.planning.memory import MemoryTerms, checkpoint_bytes, estimate_memory
from l3_modeltools.planning.place import AcceleratorSize, DeviceKind, Place
from l3_modeltools.planning.plan import TrainingPlan, plan_training
from l3_modeltools.planning.trained import trained_parameters

__all__ = [
    "AcceleratorSize",
    "DeviceKind",
    "MemoryTerms",
    "Place",
    "TrainingPlan",
    "checkpoint_bytes",
    "estimate_memory",
    "plan_faults",
    "plan_training",
    "trained_parameters",
]
