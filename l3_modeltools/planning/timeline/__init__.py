"""A step of a pipeline as it goes: which rank does what when, and where it waits."""

from l3_modeltools.planning.schedule import Event, Pace, Timeline, Turn, simulate, turns_of
from l3_modeltools.planning.timeline.step import timeline_of

__all__ = ["Event", "Pace", "Timeline", "Turn", "simulate", "timeline_of", "turns_of"]
