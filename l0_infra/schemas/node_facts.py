"""A node as it was found: hardware, operating system, and what could not be read."""

from typing import Annotated, Literal

from msgspec import Meta

from l0_infra.core.documents import Bytes, Count, Document, Part
from l0_infra.schemas.accelerator import Accelerator

__all__ = [
    "CgroupLimits",
    "Chassis",
    "Cpu",
    "Disk",
    "Hugepages",
    "Memory",
    "Mount",
    "NetworkInterface",
    "NodeFacts",
    "NumaNode",
    "OperatingSystem",
    "Unread",
]


class OperatingSystem(Part, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """What is installed and running."""

    name: Annotated[
        str | None, Meta(description="Full name, as /etc/os-release says: `Ubuntu 22.04.4 LTS`.")
    ] = None
    id: Annotated[str | None, Meta(description="Distribution in one word: `ubuntu`.")] = None
    version: Annotated[str | None, Meta(description="Version of the distribution: `22.04`.")] = None
    kernel: Annotated[str | None, Meta(description="Kernel release.")] = None
    architecture: Annotated[str | None, Meta(description="Machine architecture: `x86_64`, `aarch64`.")] = None


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


class Mount(Part, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A file system of a disk, where it is mounted."""

    source: Annotated[str, Meta(description="Block device that holds it: `nvme0n1p2`.")]
    mountpoint: Annotated[str, Meta(description="Where it is mounted.")]
    filesystem: Annotated[str, Meta(description="Type of file system: `ext4`, `xfs`.")]


class Disk(Part, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """One whole disk."""

    name: Annotated[str, Meta(description="Kernel name: `nvme0n1`.")]
    model: Annotated[str | None, Meta(description="Model.")] = None
    serial: Annotated[str | None, Meta(description="Serial number.")] = None
    size_bytes: Annotated[Bytes | None, Meta(description="Size.")] = None
    rotational: Annotated[bool | None, Meta(description="Whether it reports spinning platters.")] = None
    transport: Annotated[
        str | None, Meta(description="How it is attached: `nvme`, `sata`, `sas`, `virtio`.")
    ] = None
    mounts: Annotated[
        tuple[Mount, ...], Meta(description="File systems on it, those of its parts included.")
    ] = ()


class NetworkInterface(Part, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """One network interface: a port, or a virtual one that carries an address."""

    name: Annotated[str, Meta(description="Kernel name.")]
    mac: Annotated[str | None, Meta(description="Hardware address.")] = None
    driver: Annotated[str | None, Meta(description="Kernel driver.")] = None
    speed_bits_per_s: Annotated[
        Count | None, Meta(description="Negotiated speed; null: down or not told.")
    ] = None
    state: Annotated[
        str | None, Meta(description="Operational state, in the kernel's word: `up`, `down`.")
    ] = None
    mtu: Annotated[Count | None, Meta(description="Largest packet, in bytes.")] = None
    addresses: Annotated[
        tuple[str, ...] | None,
        Meta(description="Addresses with prefix length: `10.0.0.7/24`; null: not read."),
    ] = None
    pci: Annotated[str | None, Meta(description="PCI address: `0000:c1:00.0`.")] = None


class Unread(Part, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Something that could not be read, and why; its facts are unknown, not absent."""

    what: Annotated[str, Meta(description="Source: a program or a file.")]
    reason: Annotated[
        Literal["hung", "failed", "denied", "garbled", "driver mismatch"],
        Meta(
            description="No answer in time, an error, more rights needed, nonsense, or versions that differ."
        ),
    ]
    detail: Annotated[str, Meta(description="What was found, in its own words.")] = ""
    hint: Annotated[str, Meta(description="How to mend it.")] = ""


class NodeFacts(Document, frozen=True, kw_only=True, forbid_unknown_fields=True, tag="node_facts"):
    """What one look at a node found. Unknown is null, never 0."""

    hostname: Annotated[str | None, Meta(description="Host name.")] = None
    boot_id: Annotated[str | None, Meta(description="Changes with every boot.")] = None
    probed_at: Annotated[float, Meta(description="When it was looked at, in seconds since the epoch, UTC.")]
    os: Annotated[OperatingSystem, Meta(description="Operating system.")] = OperatingSystem()
    chassis: Annotated[Chassis, Meta(description="The machine, as its firmware tells.")] = Chassis()
    cpu: Annotated[Cpu, Meta(description="Processors.")] = Cpu()
    numa: Annotated[tuple[NumaNode, ...], Meta(description="NUMA nodes.")] = ()
    memory: Annotated[Memory, Meta(description="Main memory.")] = Memory()
    limits: Annotated[CgroupLimits, Meta(description="What is left of it to the process that looked.")] = (
        CgroupLimits()
    )
    cpus_usable: Annotated[
        Annotated[int, Meta(ge=1)] | None, Meta(description="Whole logical CPUs usable under these limits.")
    ] = None
    memory_usable_bytes: Annotated[Bytes | None, Meta(description="Memory usable under these limits.")] = None
    disks: Annotated[tuple[Disk, ...], Meta(description="Disks.")] = ()
    interfaces: Annotated[
        tuple[NetworkInterface, ...], Meta(description="Network interfaces, without loopback.")
    ] = ()
    accelerators: Annotated[
        tuple[Accelerator, ...], Meta(description="Accelerators their vendors' tools list.")
    ] = ()
    unread: Annotated[tuple[Unread, ...], Meta(description="What could not be read, and why.")] = ()
