"""A save that failed for want of room or of a disk that takes it, told apart by what can be done about it."""

import errno
from typing import Literal

from l0_infra.core.errors import MachineError

__all__ = ["Cause", "StorageError", "cause_of"]

Cause = Literal["full", "over_budget", "read_only", "other"]
"""`full`: the disk, or a quota on it; `over_budget`: `checkpoint.max_bytes`; `other`: the disk is broken, or worse."""

CAUSES: dict[int | None, Cause] = {errno.ENOSPC: "full", errno.EDQUOT: "full", errno.EROFS: "read_only"}


class StorageError(MachineError):
    """A checkpoint could not be saved. Trying again makes sense once its `cause` is gone."""

    def __init__(self, where: str, *, found: str, expected: str, hint: str = "", cause: Cause) -> None:
        super().__init__(where, found=found, expected=expected, hint=hint, retry=True)
        self.cause: Cause = cause


def cause_of(error: Exception) -> Cause:
    """Say what made a save fail; of a MachineError, the error of the system that it was raised from."""
    if isinstance(error, StorageError):
        return error.cause
    if isinstance(error, MachineError) and isinstance(error.__cause__, OSError):
        return cause_of(error.__cause__)
    return CAUSES.get(error.errno, "other") if isinstance(error, OSError) else "other"
