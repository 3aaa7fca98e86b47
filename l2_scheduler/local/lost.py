"""What is done about an attempt whose shim was killed: end what it left, and say how it ended."""

import contextlib
from pathlib import Path

import msgspec

from l2_scheduler.local.attempts import Exit, read_keeper, unknown_exit
from l2_scheduler.local.processes import end_leftovers
from l2_scheduler.local.shim.proc import boot_id

__all__ = ["bury"]


class Mark(msgspec.Struct, frozen=True):
    """The part of `launch.json` that marks the job's processes."""

    token: str


def bury(attempt: Path, now: float) -> Exit:
    """End every process the attempt left behind, and make the outcome its shim could not write."""
    keeper = read_keeper(attempt)
    restarted = keeper is not None and keeper.boot_id != boot_id()
    if not restarted:
        end_leftovers(attempt, read_token(attempt), grace_s=0.0)
    reason = "the machine restarted while it ran" if restarted else "its shim was killed"
    return unknown_exit(reason, now, keeper.started_at if keeper else None)


def read_token(attempt: Path) -> str:
    with contextlib.suppress(OSError, msgspec.DecodeError):
        return msgspec.json.decode((attempt / "launch.json").read_bytes(), type=Mark).token
    return ""
