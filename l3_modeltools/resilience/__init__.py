"""A run stays alive: what went wrong is noticed, named, mended within a budget, and accounted for.

The face is resolved on first use, so that a rank loads of it what it needs and a supervisor nothing heavy.
"""

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from l3_modeltools.resilience.ends import LastWord
    from l3_modeltools.resilience.heartbeat import Heart, Phase, open_page, page_bytes, section_of
    from l3_modeltools.resilience.interval import Rhythm
    from l3_modeltools.resilience.meaning import Meaning, classify_text
    from l3_modeltools.resilience.spike import Spike, SpikeWatch

__all__ = [
    "Heart",
    "LastWord",
    "Meaning",
    "Phase",
    "Rhythm",
    "Spike",
    "SpikeWatch",
    "classify_text",
    "open_page",
    "page_bytes",
    "section_of",
]

HOMES = {
    "Heart": "heartbeat",
    "LastWord": "ends",
    "Meaning": "meaning",
    "Phase": "heartbeat",
    "Rhythm": "interval",
    "Spike": "spike",
    "SpikeWatch": "spike",
    "classify_text": "meaning",
    "open_page": "heartbeat",
    "page_bytes": "heartbeat",
    "section_of": "heartbeat",
}


def __getattr__(name: str) -> object:
    if name not in HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(f"{__name__}.{HOMES[name]}"), name)
