"""Where and when a job starts: one pure function and its reasons."""

from l2_scheduler.placement.decide import decide, fits_ever
from l2_scheduler.placement.decisions import Blocker, BlockerCode, Cancel, Decisions, Reservation, Start, Wait

__all__ = [
    "Blocker",
    "BlockerCode",
    "Cancel",
    "Decisions",
    "Reservation",
    "Start",
    "Wait",
    "decide",
    "fits_ever",
]
