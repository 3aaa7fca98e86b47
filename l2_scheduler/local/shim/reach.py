"""Signals to everything below this process, also to what hides in sessions of its own."""

from __future__ import annotations

import os
import signal

from l2_scheduler.local.shim.proc import Process, descendants, send

_ROUNDS = 10


def terminate_all() -> int:
    """Tell every descendant to end, also a stopped one; return how many there are."""
    processes = _stop_all()
    for process in processes:
        _try_send(process, signal.SIGTERM)
        _try_send(process, signal.SIGCONT)
    return len(processes)


def kill_all() -> bool:
    """Kill every descendant; False if there is none left that we have the right to kill."""
    reached = [_try_send(process, signal.SIGKILL) for process in _stop_all()]
    return any(reached)


def _stop_all() -> set[Process]:
    """Stop every descendant, until no new one turns up.

    So none is born unseen between our look and our signal, nor in answer to another's death.
    """
    seen: set[Process] = set()
    for _ in range(_ROUNDS):
        fresh = set(descendants(os.getpid())) - seen
        if not fresh:
            break
        for process in fresh:
            _try_send(process, signal.SIGSTOP)
        seen |= fresh
    return seen


def _try_send(process: Process, number: int) -> bool:
    try:
        send(process, number)
    except PermissionError:
        return False
    return True
