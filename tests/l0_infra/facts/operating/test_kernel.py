"""How the kernel is set, from its own files."""

import pytest

from l0_infra.schemas import KernelModule, KernelSettings
from tests.support.facts import facts_of

FILES = """\
/sys/module/nvidia/version:570.133.20
/sys/module/mlx5_core/version:24.10-1.1.4
/sys/module/e1000e/version:3.2.6-k
/sys/kernel/mm/transparent_hugepage/enabled:always [madvise] never
/proc/sys/kernel/numa_balancing:1
/proc/sys/kernel/pid_max:4194304
/proc/sys/kernel/tainted:12289
/proc/sys/vm/swappiness:10
/sys/class/iommu:dmar0
/sys/kernel/iommu_groups:0
/sys/bus/pci/devices/0000:18:00.0/iommu_group/type:identity
/sys/bus/pci/devices/0000:3b:00.1/iommu_group/type:identity
/sys/devices/system/cpu/scaling_governor:powersave
/sys/devices/system/cpu/scaling_governor:performance
/lib/modules/5.15.0-119-generic/build:present
"""
MODULES = """\
nvidia_uvm 1540096 4 - Live 0x0000000000000000 (POE)
nvidia 56717312 219 nvidia_uvm, Live 0x0000000000000000 (POE)
mlx5_core 2469888 1 mlx5_ib, Live 0x0000000000000000
xfs 1945600 1 - Live 0x0000000000000000
"""
HYBRID = """\
cgroup2 /sys/fs/cgroup/unified cgroup2 rw,nosuid 0 0
cgroup /sys/fs/cgroup/systemd cgroup rw,xattr,name=systemd 0 0
cgroup /sys/fs/cgroup/memory cgroup rw,memory 0 0
"""


def kernel(files: str = "", modules: str = "", command_line: str = "", mounts: str = "") -> KernelSettings:
    given = {"kernel.txt": files, "proc-modules.txt": modules, "proc-cmdline.txt": command_line}
    return facts_of(given | {"proc-mounts.txt": mounts}).kernel


def test_all_that_is_told() -> None:
    found = kernel(FILES, MODULES, "BOOT_IMAGE=/vmlinuz iommu=pt pci=realloc=off\n")
    assert found == KernelSettings(
        command_line="BOOT_IMAGE=/vmlinuz iommu=pt pci=realloc=off",
        modules=(
            KernelModule(name="mlx5_core", module_version="24.10-1.1.4"),
            KernelModule(name="nvidia", module_version="570.133.20"),
            KernelModule(name="nvidia_uvm"),
        ),
        headers=True,
        iommu="passthrough",
        transparent_hugepages="madvise",
        numa_balancing=True,
        governor="performance,powersave",
        swappiness=10,
        pid_max=4194304,
        tainted=12289,
    )


def test_nothing_told_is_nothing_known() -> None:
    assert kernel() == KernelSettings()


@pytest.mark.parametrize(
    ("mounts", "version"),
    [
        ("cgroup2 /sys/fs/cgroup cgroup2 rw,nsdelegate 0 0\n", 2),
        (HYBRID, 1),
        (HYBRID.replace(",memory ", ",name=other "), 2),
        ("cgroup /sys/fs/cgroup/cpu,cpuacct cgroup rw,cpu,cpuacct 0 0\n", 1),
        ("/dev/sda1 / ext4 rw 0 0\n", None),
    ],
)
def test_version_of_control_groups(mounts: str, version: int | None) -> None:
    assert kernel(mounts=mounts).cgroup_version == version


GROUP = "/sys/bus/pci/devices/0000:18:00.0/iommu_group/type"
HAS = "/sys/class/iommu:dmar0\n/sys/kernel/iommu_groups:0\n"


@pytest.mark.parametrize(
    ("files", "command_line", "state"),
    [
        ("/sys/class/iommu:\n/sys/kernel/iommu_groups:\n", "intel_iommu=on", "off"),
        (f"{HAS}{GROUP}:DMA-FQ\n", "", "translated"),
        (f"{HAS}{GROUP}:DMA\n{GROUP.replace('18', '19')}:identity\n", "iommu=pt", "translated"),
        (f"{HAS}{GROUP}:identity\n", "", "passthrough"),
        (f"{HAS}{GROUP}:auto\n", "", None),
        (HAS, "quiet iommu=pt", "passthrough"),
        (HAS, "intel_iommu=on", "translated"),
        (HAS, "quiet", None),
        ("", "intel_iommu=on iommu=pt", None),
    ],
)
def test_iommu_as_it_is_before_what_was_asked_for(files: str, command_line: str, state: str | None) -> None:
    assert kernel(files, command_line=command_line).iommu == state


def test_headers_of_the_running_kernel() -> None:
    assert kernel("/lib/modules/6.8.0-31-generic/build:absent\n").headers is False


def test_a_kernel_without_modules_tells_of_none() -> None:
    assert kernel(modules="").modules is None
    assert kernel(modules="ext4 1000000 1 - Live 0x0000000000000000\n").modules == ()
