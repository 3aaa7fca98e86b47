"""Where a number of a plan comes from: its formula, what was put in, and who says so."""

from l3_modeltools.planning.explain.bytes import explain_stage
from l3_modeltools.planning.explain.derivation import Derivation, Input
from l3_modeltools.planning.explain.seconds import explain_step

__all__ = ["Derivation", "Input", "explain_stage", "explain_step"]
