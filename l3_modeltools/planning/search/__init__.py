"""The best strategy for a model and a machine: all legal cuts, exact balance of stages, bounds that are proven."""

from l3_modeltools.planning.search.find import Candidate, Found, find
from l3_modeltools.planning.search.problem import Decided, Limits, Problem

__all__ = ["Candidate", "Decided", "Found", "Limits", "Problem", "find"]
