"""Starts hosts, and finds out which of them live."""

import contextlib
import fcntl
import os
import shutil
import socket
import subprocess
import time
from collections.abc import Iterator, Sequence
from importlib.resources import as_file, files
from pathlib import Path

from l0_infra.core.errors import EngineError
from l0_infra.core.exec import Command, Runner
from l1_podsys.lab.cgroups import Groups, kill_group, kill_member, processes_of, thaw
from l1_podsys.lab.documents import Lab, LabHost
from l1_podsys.lab.host import HostFile, keeper_command, keeper_environment
from l1_podsys.lab.layout import Layout

__all__ = ["end_hosts", "lay_out_host", "leader_of", "lives", "locked_folder", "start_host", "wait_for_ssh"]


def lives(folder: Path) -> bool:
    """Tell whether a host has a keeper: it holds the lock on the host's folder."""
    with locked_folder(folder, fcntl.LOCK_SH) as held:
        return folder.is_dir() and not held


def leader_of(groups: Groups, lab: Lab, host: LabHost) -> int | None:
    """Find the host's first process, as this machine numbers it; None when it is off."""
    for number in sorted(processes_of(groups, f"{lab.group}/{host.name}/machine")):
        with contextlib.suppress(OSError):
            status = Path(f"/proc/{number}/status").read_text()
            inner = next(line.split()[1:] for line in status.splitlines() if line.startswith("NSpid:"))
            if inner[1:] == ["1"]:
                return number
    return None


def lay_out_host(runner: Runner, lab: Lab, host: LabHost, layout: Layout, given: Sequence[HostFile]) -> None:
    """Make the host's folder: its disk, and the files laid into it at its first start."""
    folder = layout.host(lab, host)
    if (folder / "disk.img").exists():
        return
    for below in ("files", "disk", "root"):
        (folder / below).mkdir(parents=True, exist_ok=True)
    for file in given:
        _write(folder / "files" / file.path, file, user=user_of(Path(lab.image)))
    half = folder / "disk.half"
    with half.open("wb") as disk:
        disk.truncate(lab.disk_bytes)
    made = ("mkfs.ext4", "-q", "-F", "-m", "0", "-O", "^has_journal", "-E", "lazy_itable_init=1", str(half))
    runner.run(Command(argv=made)).check()
    half.rename(folder / "disk.img")


def start_host(lab: Lab, host: LabHost, layout: Layout, groups: Groups) -> None:
    """Start a host's keeper, unless it has one."""
    folder = layout.host(lab, host)
    if lives(folder):
        return
    kill_group(groups, f"{lab.group}/{host.name}")
    with as_file(files(__package__) / "host.sh") as script, (folder / "console.log").open("ab") as log:
        subprocess.run(
            ["setsid", "--fork", "sh", str(script), "outside", *keeper_command(lab, host, layout)],
            env=dict(keeper_environment(lab, host, layout, groups)),
            stdin=subprocess.DEVNULL,
            stdout=log,
            stderr=log,
            check=True,
        )


def end_hosts(groups: Groups, lab: Lab, *, wait_s: float = 2.0) -> None:
    """Cut every host's power and give systemd-nspawn a moment to tidy up behind it."""
    thaw(groups, lab.group)
    for host in lab.hosts:
        leader = leader_of(groups, lab, host)
        if leader is not None:
            kill_member(lab.group, leader)
    deadline = time.monotonic() + wait_s
    while processes_of(groups, lab.group) and time.monotonic() < deadline:
        time.sleep(0.02)


def wait_for_ssh(lab: Lab, host: LabHost, layout: Layout, *, wait_s: float) -> None:
    """Return when the host's sshd answers. Raises EngineError with the console's last lines when it does not."""
    deadline = time.monotonic() + wait_s
    while not _answers(host.address):
        if time.monotonic() > deadline:
            raise _silent(host, layout.host(lab, host), wait_s)
        time.sleep(0.05)


@contextlib.contextmanager
def locked_folder(folder: Path, kind: int = fcntl.LOCK_EX) -> Iterator[bool]:
    """Try to take the lock that a keeper holds; True inside the block when it was free."""
    try:
        descriptor = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    except FileNotFoundError:
        yield False
        return
    try:
        fcntl.flock(descriptor, kind | fcntl.LOCK_NB)
        yield True
    except BlockingIOError:
        yield False
    finally:
        os.close(descriptor)


def user_of(image: Path) -> tuple[int, int]:
    """Read the numbers of the user `ogai` from an image's passwd file."""
    line = next(line for line in (image / "etc/passwd").read_text().splitlines() if line.startswith("ogai:"))
    return int(line.split(":")[2]), int(line.split(":")[3])


def _write(path: Path, file: HostFile, *, user: tuple[int, int]) -> None:
    """Write a file of a host; the folders on its way keep the modes that the image gives them."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(file.content)
    path.chmod(file.mode)
    if file.ours:
        shutil.chown(path, *user)


def _answers(address: str) -> bool:
    with contextlib.suppress(OSError), socket.create_connection((address, 22), timeout=1) as connection:
        return connection.recv(4) == b"SSH-"
    return False


def _silent(host: LabHost, folder: Path, wait_s: float) -> EngineError:
    console = (folder / "console.log").read_text(errors="replace").splitlines()[-6:]
    return EngineError(
        f"lab host {host.name}",
        found="\n  ".join([f"no answer of its sshd after {wait_s:g} s; its console ends with", *console]),
        expected="a host that boots",
        hint=f"all of its console: {folder / 'console.log'}",
    )
