"""The last word of a run: written once all its steps are done, so that its absence means there is more to do."""

from pathlib import Path
from typing import Literal

import msgspec

from l0_infra.core.store import load_file, save_file
from l3_modeltools.runs.layout import RunLayout
from l3_modeltools.runs.lines import pass_over

__all__ = ["Outcome", "read_outcome", "save_outcome"]


class Outcome(msgspec.Struct, frozen=True, kw_only=True):
    """What a run came to; what else stands in `outcome.json` is the trainer's own."""

    state: Literal["COMPLETED"] = "COMPLETED"
    step: int
    """Optimizer steps done."""
    tokens: int | None = None
    """Tokens that went in, padding not counted."""
    loss: float | None = None
    """Of the last step, in nats; None where the last attempt had no step to do."""
    validation_loss: float | None = None
    """At the end, in nats; None where nothing is held out."""
    ended_at: float | None = None
    """In seconds since the epoch."""


def read_outcome(directory: Path) -> Outcome | None:
    """Read the outcome of the run in `directory`; None while there is none that is whole."""
    path = RunLayout(directory).outcome
    try:
        return msgspec.json.decode(load_file(path), type=Outcome)
    except (msgspec.MsgspecError, RecursionError):
        return None
    except OSError as error:
        pass_over(path, error)
        return None


def save_outcome(directory: Path, outcome: Outcome) -> None:
    """Write the outcome of the run in `directory`, whole or not at all. Raises OSError."""
    save_file(RunLayout(directory).outcome, msgspec.json.format(msgspec.json.encode(outcome)) + b"\n")
