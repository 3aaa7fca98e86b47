"""Hosts are started, found, waited for and ended; each has a keeper that holds a lock on its folder."""

import contextlib
import fcntl
import os
import socket
import subprocess
import sys
import time
from collections.abc import Iterator, Mapping, Sequence
from importlib.resources import as_file, files
from pathlib import Path

from l0_infra.core.errors import EngineError
from l1_podsys.lab.cgroups import Groups, kill_group, kill_member, processes_of, thaw
from l1_podsys.lab.documents import Lab, LabHost
from l1_podsys.lab.host import PROXY_PORT, keeper_command, keeper_environment
from l1_podsys.lab.layout import Layout

__all__ = [
    "cut_power",
    "end_hosts",
    "leader_of",
    "lives",
    "locked_folder",
    "settle",
    "start_host",
    "start_proxy",
    "wait_for_host",
]

BOOT_S = 60.0
SETTLE_S = 20.0
GRACE_S = 5.0
"""How long a keeper may take to lock its folder."""


def lives(folder: Path) -> bool:
    """Tell whether a keeper holds the lock on a folder."""
    with locked_folder(folder, fcntl.LOCK_SH) as free:
        return folder.is_dir() and not free


def leader_of(groups: Groups, lab: Lab, host: LabHost) -> int | None:
    """Find the host's first process, as this machine numbers it; None when it is off."""
    for number in sorted(processes_of(groups, f"{lab.group}/{host.name}/machine")):
        with contextlib.suppress(OSError):
            status = Path(f"/proc/{number}/status").read_text()
            inner = next(line.split()[1:] for line in status.splitlines() if line.startswith("NSpid:"))
            if inner[1:] == ["1"]:
                return number
    return None


def start_host(lab: Lab, host: LabHost, layout: Layout, groups: Groups) -> None:
    """Start a host's keeper, unless it has one."""
    folder = layout.host(lab, host)
    if lives(folder):
        return
    kill_group(groups, f"{lab.group}/{host.name}")
    with as_file(files(__package__) / "host.sh") as script:
        argv = ("sh", str(script), "outside", *keeper_command(lab, host, layout))
        _start(argv, keeper_environment(lab, host, layout, groups), folder / "console.log")


def settle(groups: Groups, lab: Lab, host: LabHost, layout: Layout, *, wait_s: float = SETTLE_S) -> None:
    """Return when a keeper without a host has ended or has booted one. Raises EngineError when it does neither."""
    begun, folder = time.monotonic(), layout.host(lab, host)
    while lives(folder) and leader_of(groups, lab, host) is None:
        if time.monotonic() - begun > wait_s:
            raise _silent(host, folder, f"a keeper that neither boots it nor ends within {wait_s:g} s")
        time.sleep(0.02)


def start_proxy(lab: Lab, layout: Layout, groups: Groups, *, cache: Path) -> None:
    """Start the proxy for packages, unless it lives."""
    folder = layout.proxy(lab)
    folder.mkdir(exist_ok=True)
    if lives(folder):
        return
    own = [str(root / lab.group / "packages") for root in groups.roots()]
    with as_file(files(__package__) / "packages_proxy.py") as program:
        argv = (sys.executable, "-I", "-S", str(program), lab.gateway, str(PROXY_PORT))
        _start((*argv, str(cache), str(folder), lab.network, *own), os.environ, folder / "log")
    _wait_for_proxy(lab, folder)


def wait_for_host(lab: Lab, host: LabHost, layout: Layout, groups: Groups, *, wait_s: float) -> None:
    """Return when people may log in over ssh. Raises EngineError with the console's last lines when they never may."""
    begun, folder = time.monotonic(), layout.host(lab, host)
    while not (_answers(host.address) and _lets_in(groups, lab, host)):
        elapsed = time.monotonic() - begun
        if elapsed > GRACE_S and not lives(folder):
            raise _silent(host, folder, "a host that did not start")
        if elapsed > wait_s:
            raise _silent(host, folder, f"no login after {wait_s:g} s")
        time.sleep(0.05)


def cut_power(groups: Groups, lab: Lab, host: LabHost) -> bool:
    """Kill a host's first process, and with it all of them; False when it was off."""
    leader = leader_of(groups, lab, host)
    if leader is not None:
        kill_member(lab.group, leader)
        thaw(groups, f"{lab.group}/{host.name}")  # a frozen process dies only once it is thawed
    return leader is not None


def end_hosts(groups: Groups, lab: Lab, *, wait_s: float = 2.0) -> None:
    """Cut every host's power and give systemd-nspawn a moment to tidy up behind it."""
    on = [host for host in lab.hosts if cut_power(groups, lab, host)]
    deadline = time.monotonic() + wait_s
    while any(processes_of(groups, f"{lab.group}/{host.name}") for host in on):
        if time.monotonic() > deadline:
            return
        time.sleep(0.02)


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
        free = True
    except BlockingIOError:
        free = False
    try:
        yield free
    finally:
        os.close(descriptor)


def _start(argv: Sequence[str], environment: Mapping[str, str], log: Path) -> None:
    """Start a program that nobody waits for and that outlives who started it."""
    with log.open("ab") as stream:
        subprocess.run(
            ["setsid", "--fork", *argv],
            env=dict(environment),
            stdin=subprocess.DEVNULL,
            stdout=stream,
            stderr=stream,
            check=True,
        )


def _wait_for_proxy(lab: Lab, folder: Path) -> None:
    """Return when the proxy takes connections. Raises EngineError with its last words when it never does."""
    begun = time.monotonic()
    while not _listens(lab.gateway, PROXY_PORT):
        elapsed = time.monotonic() - begun
        if elapsed > (BOOT_S if lives(folder) else GRACE_S):
            said = (folder / "log").read_text(errors="replace").splitlines()[-3:]
            raise EngineError(
                f"packages proxy of lab {lab.name}",
                found="\n  ".join([f"no connection to {lab.gateway}:{PROXY_PORT}; its log ends with", *said]),
                expected="a proxy that listens",
            )
        time.sleep(0.05)


def _listens(address: str, port: int) -> bool:
    with contextlib.suppress(OSError), socket.create_connection((address, port), timeout=1):
        return True
    return False


def _answers(address: str) -> bool:
    with contextlib.suppress(OSError), socket.create_connection((address, 22), timeout=1) as connection:
        return connection.recv(4) == b"SSH-"
    return False


def _lets_in(groups: Groups, lab: Lab, host: LabHost) -> bool:
    """Tell whether a host is done with what must be before anyone but root may log in (pam_nologin(8))."""
    leader = leader_of(groups, lab, host)
    return leader is not None and not Path(f"/proc/{leader}/root/run/nologin").exists()


def _silent(host: LabHost, folder: Path, found: str) -> EngineError:
    console = (folder / "console.log").read_text(errors="replace").splitlines()[-6:]
    return EngineError(
        f"lab host {host.name}",
        found="\n  ".join([f"{found}; its console ends with", *console]),
        expected="a host that boots",
        hint=f"all of its console: {folder / 'console.log'}",
    )
