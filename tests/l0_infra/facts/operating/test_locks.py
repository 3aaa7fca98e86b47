"""Locks of package managers: held, not merely there."""

import pytest

from l0_infra.facts.bundle import ABSENT
from l0_infra.schemas import PackageLock
from tests.support.facts import facts_of

# Device 0xfd01 is 253:1, fd:01 in the kernel's words; 2097154 is an inode.
FILES = """\
/var/lib/dpkg/lock:64769 2097153
/var/lib/dpkg/lock-frontend:64769 2097154
/var/lib/dnf/rpmdb_lock.pid:pid 4711
/proc/4242/comm:unattended-upgr
/proc/4711/comm:dnf
/proc/977/comm:postgres
"""


def held(locks: str, files: str = FILES) -> tuple[PackageLock, ...] | None:
    lines = "".join(f"/proc/locks:{line}\n" for line in locks.splitlines())
    return facts_of({"package-locks.txt": files + lines}).package_locks


DNF = PackageLock(file="/var/lib/dnf/rpmdb_lock.pid", pid=4711, program="dnf")
APT = PackageLock(file="/var/lib/dpkg/lock-frontend", pid=4242, program="unattended-upgr")


@pytest.mark.parametrize(
    ("line", "found"),
    [
        ("1: POSIX  ADVISORY  WRITE 4242 fd:01:2097154 0 EOF", (APT, DNF)),
        ("1: OFDLCK ADVISORY  WRITE -1 fd:01:2097154 0 EOF", (PackageLock(file=APT.file), DNF)),
        ("1: POSIX  ADVISORY  READ  4242 fd:01:2097154 0 EOF", (DNF,)),
        ("1: -> POSIX  ADVISORY  WRITE 4242 fd:01:2097154 0 EOF", (DNF,)),
        ("1: FLOCK  ADVISORY  WRITE 4242 fd:01:2097154 0 EOF", (DNF,)),
        ("1: POSIX  ADVISORY  WRITE 977 fd:02:2097154 0 EOF", (DNF,)),
        ("1: POSIX  ADVISORY  WRITE 4242 00:2f:2097154 0 EOF", (APT, DNF)),
        ("1: POSIX  ADVISORY  WRITE 4242 fd:01:2097155 0 EOF", (DNF,)),
        ("1: POSIX  ADVISORY  WRITE 42", (DNF,)),
    ],
)
def test_who_holds_a_lock_for_writing(line: str, found: tuple[PackageLock, ...]) -> None:
    assert held(line) == found


def test_a_pid_file_that_a_killed_manager_left_holds_nothing() -> None:
    assert held("", FILES.replace("/proc/4711/comm:dnf\n", "")) == ()
    assert held("", FILES.replace("4711/comm:dnf", "4711/comm:python3")) == ()


def test_not_read_is_not_none_held() -> None:
    assert facts_of({"package-locks.txt": ABSENT}).package_locks is None
    assert facts_of({"package-locks.txt": ""}).package_locks == ()


STARTED = """\
/proc/uptime:9000.50 17000.00
/proc/4242/stat:4242 (a ) b) S 1 4242 0 0 -1 0 1 2 3 4 5 6 7 8 20 0 1 0 870000 0 0
"""


def test_how_long_the_holder_has_been_running() -> None:
    (apt, dnf) = held("1: POSIX  ADVISORY  WRITE 4242 fd:01:2097154 0 EOF", FILES + STARTED) or ()
    assert (apt.running_s, dnf.running_s) == (300.5, None)


def test_an_uptime_that_is_not_the_machines_says_nothing() -> None:
    short = STARTED.replace("9000.50", "12.00")
    (apt, _) = held("1: POSIX  ADVISORY  WRITE 4242 fd:01:2097154 0 EOF", FILES + short) or ()
    assert apt.running_s is None


def test_of_an_overlay_the_folder_shows_the_number_that_the_kernel_lists() -> None:
    files = "/var/lib/dpkg/lock:108 500\n/var/lib/dpkg:106 7\n/proc/3006/comm:python3\n"
    (lock,) = held("1: POSIX  ADVISORY  WRITE 3006 00:6a:500 0 EOF", files) or ()
    assert (lock.file, lock.program) == ("/var/lib/dpkg/lock", "python3")
    assert held("1: POSIX  ADVISORY  WRITE 3006 00:6a:7 0 EOF", files) == ()
