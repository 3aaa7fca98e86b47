"""What the machine refused to a program of ours: where that was, and what helps."""

import contextlib
import errno
import os
import tempfile
from collections.abc import Iterator, Mapping
from pathlib import Path

from l0_infra.core.errors import MachineError, OgaiError
from l0_infra.core.store import ogai_home

__all__ = ["MACHINE_ERRORS", "describe_refusal"]

ROOM = frozenset([errno.EDQUOT, errno.ENOSPC])
HINTS: Mapping[int, str] = {
    errno.EAGAIN: "too many processes or too little memory: ulimit -u; free -h",
    errno.EDQUOT: "your quota there is used up: quota -s; free some of it, then give the command again",
    errno.EFBIG: "the file system, or `ulimit -f`, allows no file so large",
    errno.EIO: "the disk there may be failing: dmesg",
    errno.EMFILE: "raise the limit of open files: ulimit -n",
    errno.ENFILE: "the machine's own limit of open files is reached: sysctl fs.file-max",
    errno.ENOMEM: "free some memory: free -h; top",
    errno.ENOSPC: "free some space there, then give the command again",
    errno.EROFS: "a file system that turned read-only has met errors: dmesg; else choose another OGAI_HOME",
}
MACHINE_ERRORS = frozenset(HINTS)
"""What the machine may answer to any call of any program; everything else is foreseen where the call is made."""


def describe_refusal(error: OSError, environment: Mapping[str, str]) -> MachineError:
    """Say what was refused, in which folder, and what to do about it; `environment` tells where OGAI_HOME is."""
    number, said = error.errno or 0, error.strerror or "trouble"
    named = f"{said}, {os.fsdecode(error.filename)}" if isinstance(error.filename, str | bytes) else said
    hint = HINTS.get(number, "")
    folders = _folders(error, environment) if number in ROOM else ()
    if folders:
        told = " and ".join(map(str, folders))
        return _error(f"{said} where {told} lies", f"{hint}: df -h {folders[0]}; df -i {folders[0]}")
    return _error(named, hint)


def _error(found: str, hint: str) -> MachineError:
    expected = "room for what every program needs"
    return MachineError("this machine", found=found, expected=expected, hint=hint, retry=True)


def _folders(error: OSError, environment: Mapping[str, str]) -> tuple[Path, ...]:
    """Name where there is no room: where the file lies, else each of the places we write to that is full."""
    if isinstance(error.filename, str | bytes):
        return (Path(os.fsdecode(error.filename)).absolute().parent,)
    return tuple(dict.fromkeys(place for place in _places(environment) if _is_full(place)))


def _places(environment: Mapping[str, str]) -> Iterator[Path]:
    with contextlib.suppress(OgaiError):  # one without a home has written nothing there
        yield ogai_home(environment)
    yield Path(environment.get("TMPDIR") or tempfile.gettempdir())
    yield Path.cwd()
    with contextlib.suppress(OSError):
        yield Path("/proc/self/fd/1").readlink().parent  # of a file behind stdout


def _is_full(folder: Path) -> bool:
    try:
        room = os.statvfs(folder)
    except OSError:
        return False
    return room.f_bavail == 0 or (room.f_files > 0 and room.f_favail == 0)
