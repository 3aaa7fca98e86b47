"""A job's events, one line each, written by its shim and by the job itself."""

from pathlib import Path
from typing import Annotated

import msgspec
from msgspec import Meta

from l0_infra.core.errors import printable
from l0_infra.core.store import load_file

__all__ = ["Event", "parse_events", "read_events"]


class Event(msgspec.Struct, frozen=True, kw_only=True):
    """Something that happened `at` (seconds since the epoch); `details` are the other fields, written out."""

    at: Annotated[float, Meta(ge=0, le=1e11)]
    event: str
    attempt: int = 0
    details: dict[str, str] = {}


def read_events(directory: str) -> tuple[Event, ...]:
    """Read the events of the job in this folder; none before it was started first."""
    try:
        return parse_events(load_file(Path(directory) / "events.jsonl"))
    except OSError:
        return ()


def parse_events(data: bytes) -> tuple[Event, ...]:
    """Read whole lines that are events; what a job wrote wrongly is passed over."""
    return tuple(event for line in data.splitlines() if (event := parse_event(line)) is not None)


def parse_event(line: bytes) -> Event | None:
    try:
        event = msgspec.json.decode(line, type=Event)
        fields = msgspec.json.decode(line, type=dict[str, object])
    except (msgspec.DecodeError, msgspec.ValidationError):
        return None
    known = ("at", "event", "attempt")
    details = {
        printable(name): printable(str(value))
        for name, value in fields.items()
        if name not in known and value != ""
    }
    return msgspec.structs.replace(event, event=printable(event.event), details=details)
