"""Faults on purpose: what is ordered of a run, when an order is due, and how well the run took it."""

from l3_modeltools.resilience.drill.conduct import Conductor
from l3_modeltools.resilience.drill.judge import DrillReport, DrillResult, Verdict, summarize_drill
from l3_modeltools.resilience.drill.kinds import KINDS, Kind, Trouble
from l3_modeltools.resilience.drill.orders import (
    Fired,
    Order,
    append_order,
    is_due,
    note_fired,
    read_fired,
    read_orders,
    withdraw_order,
)
from l3_modeltools.resilience.drill.plan import DrillPlan, plan_drill

__all__ = [
    "KINDS",
    "Conductor",
    "DrillPlan",
    "DrillReport",
    "DrillResult",
    "Fired",
    "Kind",
    "Order",
    "Trouble",
    "Verdict",
    "append_order",
    "is_due",
    "note_fired",
    "plan_drill",
    "read_fired",
    "read_orders",
    "summarize_drill",
    "withdraw_order",
]
