"""What a training minimises: a differentiable sum over what counts, and how much that is."""

from l3_modeltools.training.objectives.choose import objective_of
from l3_modeltools.training.objectives.objective import Loss, Objective

__all__ = ["Loss", "Objective", "objective_of"]
