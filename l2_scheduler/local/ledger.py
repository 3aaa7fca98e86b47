"""Who holds which slots of this machine, across all users and queues, kept by the kernel's file locks.

A claim is a file on which an open file description holds `flock`. The agent makes it, the shim and the tasks inherit
the description, and the kernel drops the lock when the last of them is gone. A claim nobody locks is stale: nothing has
to be cleaned up after any kill, and no pid is ever guessed at.
"""

import contextlib
import fcntl
import os
import stat
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

import msgspec
from msgspec import Meta

from l0_infra.core.errors import EngineError
from l0_infra.core.store import is_network, mount_of, read_mounts
from l2_scheduler.local.locks import lock_within

__all__ = ["Claim", "HeldClaim", "Ledger", "OpenLedger", "machine_ledger"]

LOCK_TIMEOUT_S = 10.0
CLAIM_SUFFIX = ".claim"


class Claim(msgspec.Struct, frozen=True, kw_only=True):
    """What one running attempt holds of this machine; `memory_bytes` is 0 for a job without a memory limit.

    Any user may write such a file, so it is held to what an agent would write.
    """

    user: int
    home: str
    job_id: Annotated[str, Meta(pattern=r"\A[0-9]+(_[0-9]+)?\Z")]
    attempt: int
    cpus: Annotated[int, Meta(ge=0, le=1 << 20)]
    memory_bytes: Annotated[int, Meta(ge=0, le=1 << 60)] = 0
    accelerators: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class HeldClaim:
    """A claim whose lock this process holds through `descriptor`; give it to the shim, close it when the job ended."""

    path: Path
    descriptor: int

    def release(self) -> None:
        """Remove the file, then drop this process's hold."""
        self.path.unlink(missing_ok=True)
        os.close(self.descriptor)


class OpenLedger:
    """The ledger while its lock is held: nobody else reads or adds claims."""

    def __init__(self, directory: Path) -> None:
        self.directory = directory

    def claims(self) -> tuple[Claim, ...]:
        """Read all living claims, and remove this user's stale ones."""
        living = (read_claim(path) for path in sorted(self.directory.glob("*" + CLAIM_SUFFIX)))
        return tuple(claim for claim in living if claim is not None)

    def add(self, claim: Claim) -> HeldClaim:
        """Write a claim and lock it; the name appears only once it is both. Raises OSError."""
        name = f"{claim.user}-{os.urandom(8).hex()}"
        temporary = self.directory / f".{name}"
        descriptor = os.open(temporary, os.O_RDWR | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o644)
        try:
            os.fchmod(descriptor, 0o644)
            fcntl.flock(descriptor, fcntl.LOCK_EX)
            os.write(descriptor, msgspec.json.encode(claim))
            path = self.directory / (name + CLAIM_SUFFIX)
            temporary.rename(path)
        except BaseException:
            os.close(descriptor)
            temporary.unlink(missing_ok=True)
            raise
        return HeldClaim(path, descriptor)


class Ledger:
    """The machine's ledger in a folder that every user may write to, each only their own files."""

    def __init__(self, directory: Path) -> None:
        self.directory = directory
        with told(directory):
            prepare_shared(directory)

    @contextlib.contextmanager
    def locked(self, timeout_s: float = LOCK_TIMEOUT_S) -> Iterator[OpenLedger]:
        """Hold the ledger's one lock. Raises EngineError (retry) when somebody else keeps it longer."""
        with told(self.directory):
            descriptor = open_shared(self.directory / "lock")
        try:
            if not lock_within(descriptor, timeout_s):
                raise held_too_long(self.directory, timeout_s)
            yield OpenLedger(self.directory)
        finally:
            os.close(descriptor)


def machine_ledger() -> Path:
    """Choose the same folder for every user: `/var/tmp` (systemd keeps locked files), or memory if that is remote."""
    mount = mount_of(Path("/var/tmp"), read_mounts())
    remote = mount is None or mount.read_only or is_network(mount)
    return Path("/dev/shm" if remote else "/var/tmp") / "ogai-ledger"


def read_claim(path: Path) -> Claim | None:
    """Read one claim if somebody living holds it; what is no claim, or is in another's name, is none."""
    try:
        descriptor = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC)
    except OSError:
        return None
    try:
        if is_locked(descriptor):
            claim = msgspec.json.decode(os.read(descriptor, 65536), type=Claim)
            return claim if claim.user == os.fstat(descriptor).st_uid else None
        with contextlib.suppress(OSError):
            if os.fstat(descriptor).st_uid == os.getuid():
                path.unlink()
        return None
    except (msgspec.DecodeError, OSError):
        return None
    finally:
        os.close(descriptor)


def is_locked(descriptor: int) -> bool:
    try:
        fcntl.flock(descriptor, fcntl.LOCK_SH | fcntl.LOCK_NB)
    except BlockingIOError:
        return True
    return False


def prepare_shared(directory: Path) -> None:
    """Make the folder with mode 1777, or check that what is there is one."""
    with contextlib.suppress(FileExistsError):
        directory.mkdir(mode=0o1777, parents=True)
        directory.chmod(0o1777)
    status = directory.lstat()
    shared = stat.S_ISDIR(status.st_mode) and status.st_mode & 0o1777 == 0o1777
    if not stat.S_ISDIR(status.st_mode) or (not shared and status.st_uid != os.getuid()):
        raise EngineError(
            str(directory),
            found=f"{stat.filemode(status.st_mode)} of uid {status.st_uid}",
            expected="a folder with mode 1777",
            hint=f"ask an administrator: install -d -m 1777 {directory}",
        )
    if not shared:
        directory.chmod(0o1777)


def open_shared(path: Path) -> int:
    """Open the lock file, whoever made it; flock needs no write permission."""
    with contextlib.suppress(FileExistsError):
        descriptor = os.open(path, os.O_RDONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o644)
        os.fchmod(descriptor, 0o644)
        return descriptor
    return os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC)


@contextlib.contextmanager
def told(directory: Path) -> Iterator[None]:
    """Tell the system's refusals in our words."""
    try:
        yield
    except OSError as error:
        raise EngineError(
            str(directory),
            found=error.strerror or str(error),
            expected="the machine's folder of claims, with mode 1777",
            hint=f"ask an administrator: install -d -m 1777 {directory}",
        ) from error


def held_too_long(directory: Path, timeout_s: float) -> EngineError:
    return EngineError(
        str(directory),
        found=f"its lock held by another process for {timeout_s:.0f} s",
        expected="a short hold",
        hint=f"a stopped ogai agent may hold it: see `fuser -v {directory / 'lock'}`",
        retry=True,
    )
