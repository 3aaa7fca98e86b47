"""One run at a time works on a cluster: a lock that says who holds it, and no rest of a run that was killed."""

import contextlib
import fcntl
import getpass
import os
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import msgspec

from l0_infra.core.errors import EngineError

__all__ = ["GUARD_S", "Holder", "held", "holder_of", "refuse_busy"]

GUARD_S = 60.0
"""How long what a killed run left is waited for."""


class Holder(msgspec.Struct, frozen=True, kw_only=True):
    """Who is at work on a cluster."""

    pid: int
    user: str
    what: str
    since: float


@contextlib.contextmanager
def held(
    lock: Path, guard: Path, *, cluster: str, what: str, on_wait: Callable[[str], None] = lambda text: None
) -> Iterator[None]:
    """Be the only one at work for a block. Raises EngineError that says who is.

    `guard` is what every ansible-playbook of the cluster holds locked: those of a killed run are waited for, which
    `on_wait` is told once.
    """
    descriptor = os.open(lock, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
    try:
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            raise _busy(cluster, _read(descriptor)) from None
        holder = Holder(pid=os.getpid(), user=getpass.getuser(), what=what, since=time.time())
        os.ftruncate(descriptor, 0)
        os.pwrite(descriptor, msgspec.json.encode(holder), 0)
        _await_killed(cluster, guard, on_wait)
        yield
    finally:
        os.close(descriptor)


def holder_of(lock: Path) -> Holder | None:
    """Tell who is at work now; None: nobody."""
    try:
        descriptor = os.open(lock, os.O_RDONLY | os.O_CLOEXEC)
    except FileNotFoundError:
        return None
    try:
        fcntl.flock(descriptor, fcntl.LOCK_SH | fcntl.LOCK_NB)
    except BlockingIOError:
        return _read(descriptor) or Holder(pid=0, user="", what="", since=time.time())
    finally:
        os.close(descriptor)
    return None


def refuse_busy(lock: Path, *, cluster: str) -> None:
    """Raise EngineError that says who is at work, if anybody is; nothing is locked."""
    if holder := holder_of(lock):
        raise _busy(cluster, holder)


def _read(descriptor: int) -> Holder | None:
    """Read who holds a lock; None where that was not written yet."""
    try:
        return msgspec.json.decode(os.pread(descriptor, 4096, 0), type=Holder)
    except msgspec.DecodeError:
        return None


def _busy(cluster: str, holder: Holder | None) -> EngineError:
    found = "another run at work"
    if holder is not None and holder.pid:
        since = time.strftime("%H:%M:%S", time.localtime(holder.since))
        found = f"`{holder.what}` of {holder.user} at work since {since}, process {holder.pid}"
    return EngineError(
        f"cluster `{cluster}`", found=found, expected="one run at a time", hint="wait for its end", retry=True
    )


def _await_killed(cluster: str, guard: Path, on_wait: Callable[[str], None]) -> None:
    """Wait until nothing is left of the playbooks of a run that was killed."""
    descriptor = os.open(guard, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
    try:
        told, end = "", time.monotonic() + GUARD_S
        while not _locked(descriptor):
            if not told:
                told = f"{_who(descriptor)} of a run that was killed"
                on_wait(f"cluster `{cluster}`: waiting up to {GUARD_S:g} s for the end of {told}")
            if time.monotonic() > end:
                raise EngineError(
                    f"cluster `{cluster}`",
                    found=f"{told}, still at work after {GUARD_S:g} s",
                    expected="its end",
                    hint=f"see who holds it: fuser -v {guard}",
                    retry=True,
                )
            time.sleep(0.2)
    finally:
        os.close(descriptor)


def _locked(descriptor: int) -> bool:
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True


def _who(descriptor: int) -> str:
    """Name who holds a file locked, as far as the kernel says."""
    inode = os.fstat(descriptor).st_ino
    with contextlib.suppress(OSError):
        for line in Path("/proc/locks").read_text().splitlines():
            words = line.split()
            if "->" not in words and len(words) > 5 and words[5].endswith(f":{inode}"):
                return f"ansible-playbook (process {words[4]})"
    return "ansible-playbook"
