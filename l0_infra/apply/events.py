"""What ansible-playbook tells while it runs, read from the lines that our callback plugin writes."""

from typing import Literal

import msgspec

__all__ = ["PlaybookEvent", "Stats", "TaskBegun", "TaskEnded", "TaskState", "parse_event"]

TaskState = Literal["ok", "changed", "skipped", "failed", "ignored", "unreachable"]

MARK = "\x1e"


class TaskBegun(msgspec.Struct, frozen=True, kw_only=True, tag="start"):
    """A task begins on a node; `role` is empty outside of roles."""

    node: str
    role: str
    task: str


class TaskEnded(msgspec.Struct, frozen=True, kw_only=True, tag="end"):
    """A task ended on a node; `message` is what it said when it failed."""

    node: str
    role: str
    task: str
    state: TaskState
    seconds: float = 0.0
    message: str = ""


class Stats(msgspec.Struct, frozen=True, kw_only=True, tag="stats"):
    """The playbook has ended by itself; `failed` are the nodes on which it did not reach its end."""

    failed: tuple[str, ...] = ()


PlaybookEvent = TaskBegun | TaskEnded | Stats

_DECODER = msgspec.json.Decoder(PlaybookEvent)


def parse_event(line: str) -> PlaybookEvent | None:
    """Read one line; None for a line that is none of ours."""
    if not line.startswith(MARK):
        return None
    try:
        return _DECODER.decode(line[1:].encode())
    except msgspec.DecodeError:
        return None
