"""What a training needs before it runs: memory by term, disk, a way to spread it; or why it cannot be."""

from l3_modeltools.planning.faults import framework_faults, plan_faults
from l3_modeltools.planning.machines import machine_like
from l3_modeltools.planning.memory import MemoryTerms, checkpoint_bytes, estimate_memory
from l3_modeltools.planning.opinion import Opinion, Site, give_opinion, setting_of
from l3_modeltools.planning.place import AcceleratorSize, DeviceKind, Place
from l3_modeltools.planning.plan import TrainingPlan, plan_training
from l3_modeltools.planning.trained import trained_parameters

__all__ = [
    "AcceleratorSize",
    "DeviceKind",
    "MemoryTerms",
    "Opinion",
    "Place",
    "Site",
    "TrainingPlan",
    "checkpoint_bytes",
    "estimate_memory",
    "framework_faults",
    "give_opinion",
    "machine_like",
    "plan_faults",
    "plan_training",
    "setting_of",
    "trained_parameters",
]
