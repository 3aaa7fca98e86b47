"""Secure Boot, lockdown, SELinux, AppArmor: as the kernel and the firmware say, and unknown where they are hidden."""

import pytest

from l0_infra.facts.bundle import ABSENT, Answer
from l0_infra.schemas import Security
from tests.support.facts import facts_of, said

BOOT = "/sys/firmware/efi/efivars/SecureBoot-8be4df61-93ca-11d2-aa0d-00e098032b8c"
EFI = "/sys/firmware:acpi dmi efi memmap\n"


def security(files: str, mokutil: str | Answer = ABSENT) -> Security:
    return facts_of({"security.txt": files, "mokutil.txt": mokutil}).security


@pytest.mark.parametrize(
    ("files", "mokutil", "on"),
    [
        (f"{EFI}{BOOT}:   6   0   0   0   1\n", ABSENT, True),
        (f"{EFI}{BOOT}:   6   0   0   0   0\n", ABSENT, False),
        (f"{EFI}{BOOT}:   6   0   0\n", ABSENT, None),
        (EFI, ABSENT, None),
        (EFI, said("SecureBoot enabled\n"), True),
        (EFI, said("SecureBoot disabled\nPlatform is in Setup Mode\n"), False),
        (EFI, said("EFI variables are not supported on this system\n", code=1), None),
        ("/sys/firmware:acpi memmap\n", ABSENT, False),
        ("/sys/firmware:\n", ABSENT, None),
        ("", ABSENT, None),
    ],
)
def test_secure_boot(files: str, mokutil: Answer, on: bool | None) -> None:
    assert security(files, mokutil).secure_boot is on


@pytest.mark.parametrize(
    ("text", "mode"),
    [
        ("[none] integrity confidentiality", "none"),
        ("none [integrity] confidentiality", "integrity"),
        ("none integrity [confiden", None),
        ("", None),
    ],
)
def test_lockdown(text: str, mode: str | None) -> None:
    assert security(f"/sys/kernel/security/lockdown:{text}\n").lockdown == mode


LSM = "/sys/kernel/security/lsm"


@pytest.mark.parametrize(
    ("files", "mode"),
    [
        ("/sys/fs/selinux/enforce:1\n", "enforcing"),
        ("/sys/fs/selinux/enforce:0\n", "permissive"),
        (f"{LSM}:lockdown,capability,yama,apparmor\n", "disabled"),
        (f"{LSM}:lockdown,capability,selinux\n", None),
        ("/proc/filesystems:nodev\tsysfs\n/proc/filesystems:\text4\n", "disabled"),
        ("/proc/filesystems:nodev\tsysfs\n/proc/filesystems:nodev\tselinuxfs\n", None),
        ("", None),
    ],
)
def test_selinux(files: str, mode: str | None) -> None:
    assert security(files).selinux == mode


@pytest.mark.parametrize(
    ("files", "on"),
    [
        ("/sys/module/apparmor/parameters/enabled:Y\n", True),
        ("/sys/module/apparmor/parameters/enabled:N\n", False),
        (f"{LSM}:lockdown,capability,apparmor\n", True),
        (f"{LSM}:lockdown,capability,selinux\n", False),
        ("/sys/module/apparmor:absent\n", False),
        ("", None),
    ],
)
def test_apparmor(files: str, on: bool | None) -> None:
    assert security(files).apparmor is on
