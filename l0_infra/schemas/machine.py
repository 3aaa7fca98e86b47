"""What a machine is made of: system, chassis, processors, memory, and what of them is left to who looks."""

from typing import Annotated

from msgspec import Meta

from l0_infra.core.documents import Bytes, Count, Part

__all__ = ["CgroupLimits", "Chassis", "Cpu", "Hugepages", "Memory", "NumaNode", "OperatingSystem"]


class OperatingSystem(Part, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """What is installed and running."""

    name: Annotated[
        str | None, Meta(description="Full name, as /etc/os-release says: `Ubuntu 22.04.4 LTS`.")
    ] = None
    id: Annotated[str | None, Meta(description="Distribution in one word: `ubuntu`.")] = None
    version: Annotated[str | None, Meta(description="Version of the distribution: `22.04`.")] = None
    kernel: Annotated[str | None, Meta(description="Kernel release.")] = None
    architecture: Annotated[str | None, Meta(description="Machine architecture: `x86_64`, `aarch64`.")] = None
    container: Annotated[
        str | None,
        Meta(description="What contains it, as systemd says: `systemd-nspawn`; null: nothing known."),
    ] = None


class Chassis(Part, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """What the firmware says about the machine; makers leave placeholders here (see `identity_of`)."""

    vendor: Annotated[str | None, Meta(description="Maker.")] = None
    product: Annotated[str | None, Meta(description="Product name.")] = None
    serial: Annotated[str | None, Meta(description="Serial number as the firmware tells it.")] = None
    uuid: Annotated[str | None, Meta(description="System UUID as the firmware tells it.")] = None


class Cpu(Part, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The processors."""

    model: Annotated[str | None, Meta(description="Model name.")] = None
    sockets: Annotated[Count | None, Meta(description="Processor packages.")] = None
    cores: Annotated[Count | None, Meta(description="Physical cores that are online.")] = None
    threads: Annotated[Count | None, Meta(description="Logical CPUs that are online.")] = None
    socket_cpus: Annotated[
        tuple[str, ...],
        Meta(
            description="Logical CPUs of each package, in order of the first of them: `0-55,112-167`; none: not told."
        ),
    ] = ()


class NumaNode(Part, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """One NUMA node."""

    id: Annotated[Count, Meta(description="Number of the NUMA node.")]
    cpus: Annotated[str, Meta(description="Its logical CPUs, as the kernel lists them: `0-55,112-167`.")]
    memory_bytes: Annotated[Bytes | None, Meta(description="Its memory.")] = None


class Hugepages(Part, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The pool of huge pages of one size."""

    size_bytes: Annotated[Bytes, Meta(description="Size of one page.")]
    total: Annotated[Count | None, Meta(description="Pages reserved.")] = None
    free: Annotated[Count | None, Meta(description="Pages reserved and not in use.")] = None


class Memory(Part, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The main memory of the whole machine."""

    total_bytes: Annotated[Bytes | None, Meta(description="Memory the kernel manages.")] = None
    available_bytes: Annotated[
        Bytes | None, Meta(description="What new work could take without swapping.")
    ] = None
    swap_total_bytes: Annotated[Bytes | None, Meta(description="Swap space.")] = None
    swap_free_bytes: Annotated[Bytes | None, Meta(description="Swap space not in use.")] = None
    hugepages: Annotated[tuple[Hugepages, ...], Meta(description="Pools of huge pages.")] = ()


class CgroupLimits(Part, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """What control groups and affinity leave to the process that looked; in a container, not the machine."""

    cpus: Annotated[
        Annotated[float, Meta(ge=0)] | None, Meta(description="CPU time quota, in CPUs; null: no quota.")
    ] = None
    cpu_list: Annotated[str | None, Meta(description="CPUs it may run on, as the kernel lists them.")] = None
    memory_bytes: Annotated[Bytes | None, Meta(description="Memory limit; null: no limit.")] = None
