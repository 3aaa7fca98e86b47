"""What an attempt's folder says about the attempt."""

import contextlib
import os
from pathlib import Path
from typing import Literal

import msgspec

from l2_scheduler.local.locks import exclusive
from l2_scheduler.local.processes import Identity
from l2_scheduler.schemas import JobState

__all__ = ["Exit", "Fate", "Keeper", "observe_attempt", "read_exit", "read_keeper", "tell", "unknown_exit"]

Fate = Literal["ended", "running", "never_started", "lost"]
"""`never_started` is final: the attempt has been made void. `lost`: its shim is dead and left no outcome."""


class Keeper(Identity, frozen=True, kw_only=True):
    """Which process is the shim, from `shim.json`."""

    started_at: float


class Exit(msgspec.Struct, frozen=True, kw_only=True):
    """The outcome, from `exit.json`."""

    state: JobState
    reason: str
    exit_code: int | None
    signal: int | None
    started_at: float
    ended_at: float
    elapsed_s: float
    peak_memory_bytes: int | None = None


def read_exit(attempt: Path, now: float) -> Exit | None:
    """Read the outcome, if there is one. The shim publishes it whole; one damaged later counts as NODE_FAIL."""
    try:
        return msgspec.json.decode((attempt / "exit.json").read_bytes(), type=Exit)
    except FileNotFoundError:
        return None
    except msgspec.DecodeError as error:
        return unknown_exit(f"its outcome file is damaged ({error})", now)


def unknown_exit(reason: str, now: float, started_at: float | None = None) -> Exit:
    """Make the outcome of an attempt that left none."""
    began = now if started_at is None else started_at
    return Exit(
        state="NODE_FAIL",
        reason=reason,
        exit_code=None,
        signal=None,
        started_at=began,
        ended_at=now,
        elapsed_s=max(0.0, now - began),
    )


def read_keeper(attempt: Path) -> Keeper | None:
    """Read the shim's identity, if it ever started and the file is whole."""
    with contextlib.suppress(FileNotFoundError, msgspec.DecodeError):
        return msgspec.json.decode((attempt / "shim.json").read_bytes(), type=Keeper)
    return None


def observe_attempt(attempt: Path, *, launching: bool) -> Fate:
    """Find out what became of an attempt. Raises OSError when the folder cannot be written.

    `launching` says that this agent's own shim process is alive and may just not have taken its lock yet.
    Otherwise an attempt that has not started is made void here, so that a late shim cannot start it any more.
    """
    if (attempt / "exit.json").exists():
        return "ended"
    if launching:
        return "running"
    attempt.mkdir(mode=0o700, parents=True, exist_ok=True)
    with exclusive(attempt / "lock") as lock:
        if lock is None:
            return "running"
        if (attempt / "exit.json").exists():
            return "ended"
        if (attempt / "shim.json").exists():
            return "lost"
        (attempt / "void").touch()
        return "never_started"


def tell(attempt: Path, line: str) -> bool:
    """Give the living shim an order through its FIFO; return False when none listens (yet)."""
    try:
        descriptor = os.open(attempt / "control", os.O_WRONLY | os.O_NONBLOCK | os.O_CLOEXEC)
    except OSError:
        return False
    try:
        os.write(descriptor, line.replace("\n", " ").encode() + b"\n")
    except OSError:
        return False
    finally:
        os.close(descriptor)
    return True
