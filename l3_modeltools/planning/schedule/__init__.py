"""Pipeline schedules, played turn by turn: plain numbers in, who does what when out."""

from l3_modeltools.planning.schedule.order import Turn, turns_of
from l3_modeltools.planning.schedule.simulate import Event, Pace, Timeline, simulate

__all__ = ["Event", "Pace", "Timeline", "Turn", "simulate", "turns_of"]
