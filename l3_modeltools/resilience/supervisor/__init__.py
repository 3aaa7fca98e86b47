"""Keeps the ranks of one node at work: starts them, notices what goes wrong, starts them again, or says why not."""

from l3_modeltools.resilience.supervisor.budget import spent_restarts
from l3_modeltools.resilience.supervisor.messages import (
    Born,
    Died,
    Handles,
    Instruction,
    Kill,
    Ready,
    Report,
    Spawn,
    pack,
    unpack_instruction,
)

__all__ = [
    "Born",
    "Died",
    "Handles",
    "Instruction",
    "Kill",
    "Ready",
    "Report",
    "Spawn",
    "pack",
    "spent_restarts",
    "unpack_instruction",
]
