"""State on disk that a kill cannot harm: found and judged without torch, saved and loaded with it.

The face is resolved on first use, so that looking at checkpoints loads no torch.
"""

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from l3_modeltools.checkpoint.comparison import Compared, compare_checkpoints
    from l3_modeltools.checkpoint.found import Found, Verify, look_at, probe_checkpoint, verify
    from l3_modeltools.checkpoint.identity import architecture_sha256
    from l3_modeltools.checkpoint.keep import Room, plan_room, superseded
    from l3_modeltools.checkpoint.load import load_state
    from l3_modeltools.checkpoint.memory import MemoryCopies, owned_by
    from l3_modeltools.checkpoint.naming import CHECKPOINTS, MANIFEST
    from l3_modeltools.checkpoint.saver import Blocked, Saver
    from l3_modeltools.checkpoint.share import State, state_bytes
    from l3_modeltools.checkpoint.shelf import Shelf
    from l3_modeltools.checkpoint.slots import Kept
    from l3_modeltools.checkpoint.state import restore_state, training_state
    from l3_modeltools.checkpoint.trouble import Cause, StorageError, cause_of

__all__ = [
    "CHECKPOINTS",
    "MANIFEST",
    "Blocked",
    "Cause",
    "Compared",
    "Found",
    "Kept",
    "MemoryCopies",
    "Room",
    "Saver",
    "Shelf",
    "State",
    "StorageError",
    "Verify",
    "architecture_sha256",
    "cause_of",
    "compare_checkpoints",
    "load_state",
    "look_at",
    "owned_by",
    "plan_room",
    "probe_checkpoint",
    "restore_state",
    "state_bytes",
    "superseded",
    "training_state",
    "verify",
]

HOMES = {
    "CHECKPOINTS": "naming",
    "MANIFEST": "naming",
    "Blocked": "saver",
    "Cause": "trouble",
    "Compared": "comparison",
    "Found": "found",
    "Kept": "slots",
    "MemoryCopies": "memory",
    "Room": "keep",
    "Saver": "saver",
    "Shelf": "shelf",
    "State": "share",
    "StorageError": "trouble",
    "Verify": "found",
    "architecture_sha256": "identity",
    "cause_of": "trouble",
    "compare_checkpoints": "comparison",
    "load_state": "load",
    "look_at": "found",
    "owned_by": "memory",
    "plan_room": "keep",
    "probe_checkpoint": "found",
    "restore_state": "state",
    "state_bytes": "share",
    "superseded": "keep",
    "training_state": "state",
    "verify": "found",
}


def __getattr__(name: str) -> object:
    if name not in HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(f"{__name__}.{HOMES[name]}"), name)
