"""The best strategy for a model and a machine: all legal cuts, exact balance of stages, bounds that are proven."""

from l3_modeltools.planning.search.find import Candidate, Searched, find
from l3_modeltools.planning.search.limits import limits_of
from l3_modeltools.planning.search.outlook import Outlook, outlook, reasons
from l3_modeltools.planning.search.problem import Decided, Limits, Problem, Recomputing, Schedule
from l3_modeltools.planning.search.remedy import explain_nothing
from l3_modeltools.planning.search.wish import (
    Planned,
    Wish,
    plan_strategy,
    scaling_curve,
    sizes,
    strategy_front,
)

__all__ = [
    "Candidate",
    "Decided",
    "Limits",
    "Outlook",
    "Planned",
    "Problem",
    "Recomputing",
    "Schedule",
    "Searched",
    "Wish",
    "explain_nothing",
    "find",
    "limits_of",
    "outlook",
    "plan_strategy",
    "reasons",
    "scaling_curve",
    "sizes",
    "strategy_front",
]
