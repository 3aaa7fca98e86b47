"""This machine's memory as a process may use it: what is left for it, and who was killed for want of it."""

from l3_modeltools.memory.groups import memory_groups
from l3_modeltools.memory.kills import count_oom_kills
from l3_modeltools.memory.left import available_memory

__all__ = ["available_memory", "count_oom_kills", "memory_groups"]
