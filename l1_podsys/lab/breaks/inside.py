"""Troubles inside a host: a full disk, no sshd, a package lock that somebody holds."""

import errno
import os
import time
from pathlib import Path

from l0_infra.core.errors import RemoteError, UnsatisfiableError
from l1_podsys.lab.breaks.declare import Break
from l1_podsys.lab.breaks.handle import HostHandle
from l1_podsys.lab.cgroups import kill_member, processes_of
from l1_podsys.lab.keepers import wait_for_host

__all__ = ["DISK_FULL", "KILL_SSHD", "LOCK_APT"]

BALLAST = "var/lib/ogai-lab-ballast"
BLOCK_BYTES = 4096
MASK = "run/systemd/system/ssh.service"
SSHD = frozenset(["sshd", "sshd-session", "sshd-auth"])

HOLDER = "ogai-lab-lock-apt"
HOLD = """\
import fcntl, pathlib, signal
names = ("lib/dpkg/lock-frontend", "lib/dpkg/lock", "lib/apt/lists/lock", "cache/apt/archives/lock")
held = [open(f"/var/{name}", "a") for name in names]
for file in held:
    fcntl.lockf(file, fcntl.LOCK_EX)
pathlib.Path("/run/ogai-lab-lock-apt").touch()
signal.pause()
"""
"""Locks as apt and dpkg take them (fcntl), by a process that `fuser` and apt's own message name."""


def _fill(at: HostHandle) -> None:
    """Reserve all blocks of the host's disk: nothing is written, and this machine's disk keeps its room."""
    if not (at.folder / "disk.img").exists():
        raise UnsatisfiableError(
            f"lab host {at.host.name}",
            found="no disk of its own, for this machine has no loop devices",
            expected="a disk that can be filled without filling this machine's",
        )
    file = at.root() / BALLAST
    descriptor = os.open(file, os.O_WRONLY | os.O_CREAT | os.O_CLOEXEC, 0o600)
    try:
        _reserve(descriptor, os.fstatvfs(descriptor).f_bavail * BLOCK_BYTES)
    finally:
        os.close(descriptor)


def _reserve(descriptor: int, chunk: int) -> None:
    offset = os.fstat(descriptor).st_size
    while chunk >= BLOCK_BYTES:
        try:
            os.posix_fallocate(descriptor, offset, chunk)
            offset += chunk
        except OSError as error:
            if error.errno != errno.ENOSPC:
                raise
            offset, chunk = os.fstat(descriptor).st_size, chunk // 2 // BLOCK_BYTES * BLOCK_BYTES


def _is_full(at: HostHandle) -> bool:
    return _has(at, BALLAST)


def _end_sshd(at: HostHandle) -> None:
    """End sshd and all its sessions, so that it is not started again before the next boot."""
    at.run(("systemctl", "mask", "--runtime", "--quiet", "--now", "ssh.service", "ssh.socket")).check()
    for number in processes_of(at.groups, at.machine):
        if _command(number) in SSHD:
            kill_member(at.lab.group, number)


def _start_sshd(at: HostHandle) -> None:
    at.run(("systemctl", "unmask", "--runtime", "--quiet", "ssh.service", "ssh.socket")).check()
    at.run(("systemctl", "start", "ssh.service")).check()
    wait_for_host(at.lab, at.host, at.layout, at.groups, wait_s=20)


def _lock(at: HostHandle) -> None:
    if _has(at, f"run/{HOLDER}"):
        return
    at.run(("systemd-run", "--quiet", f"--unit={HOLDER}", "python3", "-c", HOLD)).check()
    deadline = time.monotonic() + 20
    while not _has(at, f"run/{HOLDER}"):
        if time.monotonic() > deadline:
            at.run(("systemctl", "stop", HOLDER))
            raise RemoteError(
                f"lab host {at.host.name}",
                found="a package lock held by another process",
                expected="a free one to take",
                hint=f"ogai lab exec {at.host.name} -- fuser -v /var/lib/dpkg/lock-frontend",
                retry=True,
            )
        time.sleep(0.05)


def _unlock(at: HostHandle) -> None:
    at.run(("systemctl", "stop", HOLDER))
    (at.root() / "run" / HOLDER).unlink(missing_ok=True)


def _has(at: HostHandle, path: str) -> bool:
    leader = at.leader
    return leader is not None and os.path.lexists(Path(f"/proc/{leader}/root") / path)


def _command(number: int) -> str:
    try:
        return Path(f"/proc/{number}/comm").read_text().strip()
    except OSError:
        return ""


DISK_FULL = Break(
    name="disk-full",
    help="no block of its disk is free",
    breaks=_fill,
    heal=lambda at: (at.root() / BALLAST).unlink(missing_ok=True),
    shows=_is_full,
)

KILL_SSHD = Break(
    name="kill-sshd",
    help="sshd and its sessions die and nothing starts it again; the host itself is well",
    breaks=_end_sshd,
    heal=_start_sshd,
    shows=lambda at: _has(at, MASK),
)

LOCK_APT = Break(
    name="lock-apt",
    help="a process holds the locks of apt and dpkg",
    breaks=_lock,
    heal=_unlock,
    shows=lambda at: _has(at, f"run/{HOLDER}"),
)
