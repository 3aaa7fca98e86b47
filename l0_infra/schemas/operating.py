"""The operating system around the work: versions, services, security, kernel settings, limits, clock, locks."""

from typing import Annotated, Literal

from msgspec import Meta

from l0_infra.core.documents import Count, Part, Seconds, Text

__all__ = [
    "ClockState",
    "KernelModule",
    "KernelSettings",
    "PackageLock",
    "ResourceLimit",
    "Security",
    "Service",
    "Software",
]


class Software(Part, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """One piece of software and its version."""

    name: Annotated[
        Text, Meta(description="Its name: `nvidia driver`, `cuda driver`, `cann`, `rocm`, `ofed`, `nccl`.")
    ]
    software_version: Annotated[Text, Meta(description="Its version, as printed.")]
    source: Annotated[Text, Meta(description="Where it was read: a program or a file.")]


class Service(Part, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """One service of the service manager."""

    name: Annotated[Text, Meta(description="Unit, without its suffix: `nvidia-fabricmanager`.")]
    state: Annotated[str | None, Meta(description="In systemd's word: `active`, `inactive`, `failed`.")] = (
        None
    )
    enabled: Annotated[
        str | None,
        Meta(description="Whether it starts at boot, in systemd's word: `enabled`, `disabled`, `masked`."),
    ] = None


class Security(Part, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """What may forbid a driver, a port or a file."""

    secure_boot: Annotated[
        bool | None, Meta(description="Whether the firmware boots signed kernels only.")
    ] = None
    lockdown: Annotated[
        str | None, Meta(description="Kernel lockdown: `none`, `integrity`, `confidentiality`.")
    ] = None
    selinux: Annotated[str | None, Meta(description="SELinux: `disabled`, `permissive`, `enforcing`.")] = None
    apparmor: Annotated[bool | None, Meta(description="Whether AppArmor is on.")] = None
    firewall: Annotated[
        str | None,
        Meta(description="What filters packets: `none`, `nftables`, `iptables`, `firewalld`, `ufw`."),
    ] = None
    firewall_rules: Annotated[Count | None, Meta(description="Rules of the packet filter.")] = None


class KernelModule(Part, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """One loaded kernel module."""

    name: Annotated[Text, Meta(description="Its name.")]
    module_version: Annotated[str | None, Meta(description="Its version, where it tells one.")] = None


class KernelSettings(Part, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """How the kernel was started and is set."""

    command_line: Annotated[str | None, Meta(description="Command line it was started with.")] = None
    modules: Annotated[
        tuple[KernelModule, ...] | None,
        Meta(
            description="Loaded modules that matter for accelerators, fabrics and file systems; null: not read."
        ),
    ] = None
    headers: Annotated[
        bool | None,
        Meta(description="Whether the headers that drivers are built with are there for the running kernel."),
    ] = None
    cgroup_version: Annotated[
        Count | None,
        Meta(
            description="Version of control groups that has the controllers: 1 (also where 2 is beside it) or 2."
        ),
    ] = None
    iommu: Annotated[
        str | None,
        Meta(
            description="What it does for accelerators and network controllers: `off`, `passthrough`, `translated`."
        ),
    ] = None
    transparent_hugepages: Annotated[str | None, Meta(description="`always`, `madvise` or `never`.")] = None
    numa_balancing: Annotated[
        bool | None, Meta(description="Whether the kernel moves pages between NUMA nodes.")
    ] = None
    governor: Annotated[
        str | None, Meta(description="CPU frequency governor; several are joined by commas.")
    ] = None
    swappiness: Annotated[Count | None, Meta(description="vm.swappiness.")] = None
    pid_max: Annotated[Count | None, Meta(description="kernel.pid_max.")] = None
    tainted: Annotated[Count | None, Meta(description="Taint bits of the running kernel; 0: none.")] = None


class ResourceLimit(Part, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """One limit of processes (ulimit)."""

    name: Annotated[Literal["memlock", "nofile", "nproc", "stack", "core"], Meta(description="Which limit.")]
    scope: Annotated[
        Literal["login", "service", "node"],
        Meta(
            description="Who has it: what looked, logged in; a service of systemd; or all of a container, which "
            "only who runs that can raise."
        ),
    ]
    service: Annotated[
        str | None, Meta(description="Which service: `slurmd`; null: any that sets no limit of its own.")
    ] = None
    soft: Annotated[
        Count | None, Meta(description="Soft limit, in bytes or a count; null: unlimited, or unknown.")
    ] = None
    soft_unlimited: Annotated[bool | None, Meta(description="Whether there is no soft limit.")] = None
    hard: Annotated[Count | None, Meta(description="Hard limit; null: unlimited, or unknown.")] = None
    hard_unlimited: Annotated[bool | None, Meta(description="Whether there is no hard limit.")] = None


class ClockState(Part, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """What keeps the clock, and how well."""

    service: Annotated[
        str | None,
        Meta(description="What keeps it: `chrony`, `systemd-timesyncd`, `ntpd`, `ptp`; null: none found."),
    ] = None
    source: Annotated[str | None, Meta(description="Its time source: a server, a reference clock.")] = None
    synchronised: Annotated[
        bool | None, Meta(description="Whether it is synchronised, as its keeper says, else the kernel.")
    ] = None
    offset_s: Annotated[
        float | None,
        Meta(
            description="How far it is off, in seconds; positive: ahead. With `ptp`: the network card's clock."
        ),
    ] = None
    zone: Annotated[str | None, Meta(description="Time zone.")] = None


class PackageLock(Part, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A lock of a package manager that something holds."""

    file: Annotated[Text, Meta(description="The lock file.")]
    pid: Annotated[Count | None, Meta(description="Process that holds it.")] = None
    program: Annotated[str | None, Meta(description="Its program.")] = None
    running_s: Annotated[
        Seconds | None,
        Meta(
            description="How long that process has been running, and so the most that it has held the lock."
        ),
    ] = None
