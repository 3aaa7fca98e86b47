"""Where and when a job starts, and why not: one pure function and its reasons."""

from l2_scheduler.placement.decide import decide, fits_ever
from l2_scheduler.placement.decisions import Blocker, BlockerCode, Cancel, Decisions, Reservation, Start, Wait
from l2_scheduler.placement.explain import Explanation, explain
from l2_scheduler.placement.limits import Setting
from l2_scheduler.placement.suggest import Suggestion

__all__ = [
    "Blocker",
    "BlockerCode",
    "Cancel",
    "Decisions",
    "Explanation",
    "Reservation",
    "Setting",
    "Start",
    "Suggestion",
    "Wait",
    "decide",
    "explain",
    "fits_ever",
]
