"""What people are told of a run: a fault, or its end."""

from typing import Literal

import msgspec

from l3_modeltools.schemas import RunState, TrainingFault

__all__ = ["Event", "EventKind", "make_event"]

EventKind = Literal["fault", "finish"]


class Event(msgspec.Struct, frozen=True, kw_only=True):
    """What is told; written as JSON it is the body of a post, and the standard input of a command.

    `{"event": "fault", "run": "tiny-1", "state": "RUNNING", "step": 120, "text": "run tiny-1, step 120: rank 1 was
    killed; its ranks start again", "fault": {"kind": "fault", …}, "at": 1764500000.5}`; `fault` is null at the finish.
    `text` is what chat services show of a webhook.
    """

    event: EventKind
    run: str
    """Id of the run."""
    state: RunState
    step: int | None
    """Step it happened in, at the finish the last that is done; null: in none, or unknown."""
    text: str
    """All of it in one sentence."""
    fault: TrainingFault | None
    """The whole `fault` document."""
    at: float
    """When it happened, in seconds since the epoch."""


def make_event(
    event: EventKind,
    run_id: str,
    text: str,
    *,
    state: RunState,
    step: int | None,
    fault: TrainingFault | None,
    now: float,
) -> Event:
    """Make an event of `run_id`; its sentence begins with the run and, where one is known, the step."""
    if fault is not None:
        step, now = (fault.step if step is None else step), fault.detected_at
    place = f"run {run_id}" if step is None else f"run {run_id}, step {step}"
    return Event(
        event=event, run=run_id, state=state, step=step, text=f"{place}: {text}", fault=fault, at=now
    )
