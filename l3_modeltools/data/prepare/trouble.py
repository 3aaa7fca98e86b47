"""What a disk answers while data is prepared, said so that a person knows what to do."""

import errno
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from l0_infra.core.errors import MachineError, describe_os_error

__all__ = ["told_of_the_disk"]

FULL = frozenset([errno.ENOSPC, errno.EDQUOT, errno.EFBIG])


@contextmanager
def told_of_the_disk(directory: Path) -> Iterator[None]:
    """Turn an OSError into a MachineError: which file, and that what was done so far stands."""
    try:
        yield
    except OSError as error:
        where = str(error.filename or directory)
        found = describe_os_error(error)
        hint = "what was done so far stands: the same command goes on from there"
        if error.errno in FULL:
            raise MachineError(
                where,
                found="no space left",
                expected=f"room for the data set in {directory.parent}",
                hint=f"free some space; {hint}",
                retry=True,
            ) from error
        expected = "a file that can be read and written until the data is prepared"
        raise MachineError(where, found=found, expected=expected, hint=hint, retry=True) from error
