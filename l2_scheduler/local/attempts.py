"""What an attempt's folder says about the attempt."""

import contextlib
import os
from pathlib import Path
from typing import Annotated, Literal

import msgspec
from msgspec import Meta

from l0_infra.core.errors import printable
from l0_infra.core.store import load_file
from l2_scheduler.local.locks import exclusive
from l2_scheduler.local.processes import Identity

__all__ = ["Exit", "Fate", "Keeper", "observe_attempt", "read_exit", "read_keeper", "tell", "unknown_exit"]

Fate = Literal["ended", "running", "never_started", "lost"]
"""`never_started` is final: the attempt has been made void. `lost`: its shim is dead and left no outcome."""


class Keeper(Identity, frozen=True, kw_only=True):
    """Which process is the shim, from `shim.json`."""

    started_at: float


LONGEST_REASON = 1000

Moment = Annotated[float, Meta(ge=0, le=1e11)]
Code = Annotated[int, Meta(ge=0, le=255)]


class Exit(msgspec.Struct, frozen=True, kw_only=True):
    """The outcome, from `exit.json`; what a job itself may have written there must not pass for more than one."""

    state: Literal["COMPLETED", "FAILED", "CANCELLED", "TIMEOUT", "OUT_OF_MEMORY", "NODE_FAIL"]
    reason: str
    exit_code: Code | None
    signal: Code | None
    started_at: Moment
    ended_at: Moment
    elapsed_s: Moment
    peak_memory_bytes: Annotated[int, Meta(ge=0, le=2**63 - 1)] | None = None


def read_exit(attempt: Path, now: float) -> Exit | None:
    """Read the outcome, if there is one. The shim publishes it whole; one damaged later counts as NODE_FAIL."""
    try:
        outcome = msgspec.json.decode(load_file(attempt / "exit.json"), type=Exit)
        return msgspec.structs.replace(outcome, reason=printable(outcome.reason[:LONGEST_REASON]))
    except FileNotFoundError:
        return None
    except (OSError, msgspec.DecodeError) as error:
        return unknown_exit(f"its outcome file is damaged ({damage(error)})", now)


def damage(error: OSError | msgspec.DecodeError) -> str:
    return error.strerror or "unreadable" if isinstance(error, OSError) else str(error)


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
    with contextlib.suppress(OSError, msgspec.DecodeError):
        return msgspec.json.decode(load_file(attempt / "shim.json"), type=Keeper)
    return None


def observe_attempt(attempt: Path, *, launching: bool) -> Fate:
    """Find out what became of an attempt. Raises OSError when the folder cannot be written.

    `launching` says that this agent's own shim process is alive and may just not have taken its lock yet.
    Otherwise an attempt that has not started is made void here, so that a late shim cannot start it any more. While
    a shim holds the lock no outcome counts: whatever lies there is not the shim's.
    """
    if launching and not (attempt / "exit.json").exists():
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
