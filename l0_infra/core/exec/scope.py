"""Lets whoever gave out work tell the commands inside it to end, without passing a handle through."""

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from threading import Event

__all__ = ["ending_asked", "ends_with"]

_ending: ContextVar[Event | None] = ContextVar("ending", default=None)


@contextmanager
def ends_with(event: Event) -> Iterator[None]:
    """Within the block, commands of any runner in this thread are told to end once the event is set."""
    token = _ending.set(event)
    try:
        yield
    finally:
        _ending.reset(token)


def ending_asked() -> bool:
    """Tell whether the commands of this thread shall end."""
    event = _ending.get()
    return event is not None and event.is_set()
