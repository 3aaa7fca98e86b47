"""One run at a time works on a cluster: a lock that says who holds it, and no rest of a run that was killed."""

import contextlib
import fcntl
import getpass
import os
import time
from collections.abc import Iterator
from pathlib import Path

import msgspec

from l0_infra.core.errors import EngineError

__all__ = ["GUARD_S", "Holder", "held", "holder_of"]

GUARD_S = 60.0
"""How long what a killed run left is waited for."""


class Holder(msgspec.Struct, frozen=True, kw_only=True):
    """Who is at work on a cluster."""

    pid: int
    user: str
    what: str
    since: float


@contextlib.contextmanager
def held(lock: Path, guard: Path, *, cluster: str, what: str) -> Iterator[None]:
    """Be the only one at work for a block. Raises EngineError that says who is.

    `guard` is what every ansible-playbook of the cluster holds locked: those of a killed run are waited for.
    """
    descriptor = os.open(lock, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
    try:
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            raise _busy(cluster, os.pread(descriptor, 4096, 0)) from None
        holder = Holder(pid=os.getpid(), user=getpass.getuser(), what=what, since=time.time())
        os.ftruncate(descriptor, 0)
        os.pwrite(descriptor, msgspec.json.encode(holder), 0)
        _await_killed(guard)
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
        return msgspec.json.decode(os.pread(descriptor, 4096, 0), type=Holder)
    finally:
        os.close(descriptor)
    return None


def _busy(cluster: str, text: bytes) -> EngineError:
    try:
        holder = msgspec.json.decode(text, type=Holder)
        since = time.strftime("%H:%M:%S", time.localtime(holder.since))
        found = f"`{holder.what}` of {holder.user} at work since {since}, process {holder.pid}"
    except msgspec.DecodeError:
        found = "another run at work"
    return EngineError(
        f"cluster `{cluster}`", found=found, expected="one run at a time", hint="wait for its end", retry=True
    )


def _await_killed(guard: Path) -> None:
    """Wait until nothing is left of the playbooks of a run that was killed."""
    descriptor = os.open(guard, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
    try:
        end = time.monotonic() + GUARD_S
        while True:
            try:
                return fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except BlockingIOError:
                if time.monotonic() > end:
                    raise EngineError(
                        str(guard),
                        found="ansible-playbook of a run that was killed, still at work",
                        expected="its end",
                        hint=f"see who holds it: fuser -v {guard}",
                        retry=True,
                    ) from None
                time.sleep(0.2)
    finally:
        os.close(descriptor)
