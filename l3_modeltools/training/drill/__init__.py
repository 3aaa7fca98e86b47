"""Faults on purpose, inside a rank: where nothing is ordered it costs one look at a file's absence a step."""

from l3_modeltools.training.drill.watch import Drills

__all__ = ["Drills"]
