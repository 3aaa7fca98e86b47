"""What a trainer leaves when all its steps are done."""

from pathlib import Path
from typing import Literal

import msgspec

from l0_infra.core.store import load_file

__all__ = ["Outcome", "read_outcome"]

OUTCOME_FILE = "outcome.json"


class Outcome(msgspec.Struct, frozen=True, kw_only=True):
    """`outcome.json`; what else stands there is the trainer's own."""

    state: Literal["COMPLETED", "FAILED"]
    step: int
    """Optimizer steps done."""
    reason: str = ""
    """Why, in one sentence."""
    validation_loss: float | None = None
    """Of the last step, in nats."""
    ended_at: float | None = None
    """Seconds since the epoch."""


def read_outcome(directory: Path) -> Outcome | None:
    """Read the outcome of the run in `directory`; None while there is none that is whole."""
    try:
        return msgspec.json.decode(load_file(directory / OUTCOME_FILE), type=Outcome)
    except (FileNotFoundError, msgspec.MsgspecError):
        return None
