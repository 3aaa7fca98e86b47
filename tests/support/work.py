"""How much a call has to do, counted, so that it is the same on a slow machine and on a busy one."""

import sys
from collections.abc import Callable
from types import FrameType

__all__ = ["work_of"]


def work_of(call: Callable[[], object]) -> int:
    """Return how many instructions of Python's machine a call takes, in all functions and generators that it runs."""
    count = 0

    def hear(frame: FrameType, event: str, argument: object) -> Callable[..., object]:
        nonlocal count
        frame.f_trace_opcodes, frame.f_trace_lines = True, False
        count += event == "opcode"
        return hear

    before = sys.gettrace()
    sys.settrace(hear)
    try:
        call()
    finally:
        sys.settrace(before)
    return count
