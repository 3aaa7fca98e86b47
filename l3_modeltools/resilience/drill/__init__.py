"""Faults on purpose: what is ordered of a run, when an order is due, and how well the run took it."""

from l3_modeltools.resilience.drill.conduct import Clock, Conductor
from l3_modeltools.resilience.drill.judge import DrillReport, DrillResult, DrillVerdict, summarize_drill
from l3_modeltools.resilience.drill.kinds import DRILL_KINDS, Kind, Trouble
from l3_modeltools.resilience.drill.orders import (
    Blow,
    Fired,
    Moment,
    Order,
    append_order,
    is_due,
    moment_of,
    note_fired,
    read_fired,
    read_orders,
    withdraw_order,
)
from l3_modeltools.resilience.drill.plan import (
    DrillPlan,
    PlannedBlow,
    plan_drill,
    require_budget,
    restarts_left,
)

__all__ = [
    "DRILL_KINDS",
    "Blow",
    "Clock",
    "Conductor",
    "DrillPlan",
    "DrillReport",
    "DrillResult",
    "DrillVerdict",
    "Fired",
    "Kind",
    "Moment",
    "Order",
    "PlannedBlow",
    "Trouble",
    "append_order",
    "is_due",
    "moment_of",
    "note_fired",
    "plan_drill",
    "read_fired",
    "read_orders",
    "require_budget",
    "restarts_left",
    "summarize_drill",
    "withdraw_order",
]
