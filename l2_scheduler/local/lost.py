"""What is done about an attempt whose shim was killed: end what it left, and say how it ended."""

import contextlib
from pathlib import Path

import msgspec

from l0_infra.core.store import load_file
from l2_scheduler.local.attempts import Exit, read_keeper, unknown_exit
from l2_scheduler.local.processes import end_leftovers
from l2_scheduler.local.shim.proc import boot_id

__all__ = ["bury"]


class Marks(msgspec.Struct, frozen=True):
    """The parts of `launch.json` that mark the job's processes."""

    token: str = ""
    claim: str = ""


def bury(attempt: Path, now: float) -> Exit:
    """End every process the attempt left behind, and make the outcome its shim could not write."""
    keeper = read_keeper(attempt)
    restarted = keeper is not None and keeper.boot_id != boot_id()
    if not restarted:
        marks = read_marks(attempt)
        end_leftovers(attempt, marks.token, grace_s=0.0, claim=marks.claim)
    reason = (
        "the machine restarted while it ran"
        if restarted
        else "its shim, the process that kept it, was killed"
    )
    return unknown_exit(reason, now, keeper.started_at if keeper else None)


def read_marks(attempt: Path) -> Marks:
    with contextlib.suppress(OSError, msgspec.DecodeError):
        return msgspec.json.decode(load_file(attempt / "launch.json"), type=Marks)
    return Marks()
