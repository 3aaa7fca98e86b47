"""A fault of a whole tool is told once, not again for each of its commands."""

from collections.abc import Iterable

from l0_infra.schemas import Unread

__all__ = ["told_once"]


def told_once(faults: Iterable[Unread]) -> tuple[Unread, ...]:
    """Leave out what repeats, and what a tool's own fault explains: the same of one of its commands."""
    kept: list[Unread] = []
    for fault in faults:
        if not any(_explains(one, fault) for one in kept):
            kept.append(fault)
    return tuple(kept)


def _explains(tool: Unread, fault: Unread) -> bool:
    if not fault.what.startswith(f"{tool.what} "):
        return tool == fault
    return tool.reason == "driver mismatch" or (tool.reason, tool.detail) == (fault.reason, fault.detail)
