"""A run stays alive: what went wrong is noticed, named, mended within a budget, and accounted for."""

from l3_modeltools.resilience.ends import End, LastWord
from l3_modeltools.resilience.heartbeat import (
    Beat,
    Heart,
    Phase,
    Pulse,
    SectionTime,
    open_page,
    page_bytes,
    section_of,
)
from l3_modeltools.resilience.supervisor.messages import (
    Born,
    Died,
    Handles,
    Kill,
    Order,
    Ready,
    Report,
    Spawn,
    pack,
    unpack_order,
)

__all__ = [
    "Beat",
    "Born",
    "Died",
    "End",
    "Handles",
    "Heart",
    "Kill",
    "LastWord",
    "Order",
    "Phase",
    "Pulse",
    "Ready",
    "Report",
    "SectionTime",
    "Spawn",
    "open_page",
    "pack",
    "page_bytes",
    "section_of",
    "unpack_order",
]
