"""Signals to everything below this process, also to what hides in sessions of its own."""

from __future__ import annotations

import os
import signal

from l2_scheduler.local.shim.proc import Process, descendants, send

_STOP_ROUNDS = 10


def signal_all(*numbers: int) -> int:
    """Send these signals to every descendant; return how many there are."""
    processes = descendants(os.getpid())
    for process in processes:
        for number in numbers:
            _try_send(process, number)
    return len(processes)


def kill_all() -> bool:
    """Kill every descendant; False if there is none left that we have the right to kill.

    They are stopped first, until no new one turns up, so that none can answer a death with a birth.
    """
    seen: set[Process] = set()
    for _ in range(_STOP_ROUNDS):
        fresh = set(descendants(os.getpid())) - seen
        if not fresh:
            break
        for process in fresh:
            _try_send(process, signal.SIGSTOP)
        seen |= fresh
    reached = [_try_send(process, signal.SIGKILL) for process in seen]
    return any(reached)


def _try_send(process: Process, number: int) -> bool:
    try:
        send(process, number)
    except PermissionError:
        return False
    return True
