"""The last word of a run: written once all its steps are done, so that its absence means there is more to do."""

from pathlib import Path
from typing import Literal

import msgspec

from l0_infra.core.store import save_file

__all__ = ["OUTCOME_FILE", "RunOutcome", "save_outcome"]

OUTCOME_FILE = "outcome.json"


class RunOutcome(msgspec.Struct, frozen=True, kw_only=True):
    """What a run came to."""

    state: Literal["COMPLETED"] = "COMPLETED"
    step: int
    tokens: int
    loss: float | None
    """Of the last step, in nats; None where the last attempt had no step to do."""
    validation_loss: float | None
    """At the end, in nats; None where nothing is held out."""
    ended_at: float
    """In seconds since the epoch."""


def save_outcome(directory: Path, outcome: RunOutcome) -> None:
    """Write `outcome.json`, whole or not at all. Raises OSError."""
    save_file(directory / OUTCOME_FILE, msgspec.json.format(msgspec.json.encode(outcome)) + b"\n")
