"""What a training minimises: a differentiable sum over what counts, and how much that is."""

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from l3_modeltools.training.objectives.choose import objective_of
    from l3_modeltools.training.objectives.objective import Loss, Objective

__all__ = ["Loss", "Objective", "objective_of"]

HOMES = {"Loss": "objective", "Objective": "objective", "objective_of": "choose"}


def __getattr__(name: str) -> object:
    if name not in HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from importlib import import_module

    return getattr(import_module(f"{__name__}.{HOMES[name]}"), name)
