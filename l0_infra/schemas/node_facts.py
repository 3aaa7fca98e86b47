"""A node as it was found: hardware, operating system, and what could not be read."""

from typing import Annotated, Literal

from msgspec import Meta

from l0_infra.core.documents import Bytes, Document, Part
from l0_infra.schemas.accelerator import Accelerator, Vendor
from l0_infra.schemas.attached import Disk, NetworkInterface
from l0_infra.schemas.board import ManagementController, MemoryErrors, MemoryModule
from l0_infra.schemas.fabric import FabricPort
from l0_infra.schemas.fabric_manager import FabricManager
from l0_infra.schemas.kernel_event import KernelEvent
from l0_infra.schemas.machine import CgroupLimits, Chassis, Cpu, Memory, NumaNode, OperatingSystem
from l0_infra.schemas.membership import Membership
from l0_infra.schemas.neighbor import Neighbor
from l0_infra.schemas.operating import (
    ClockState,
    KernelSettings,
    PackageLock,
    ResourceLimit,
    Security,
    Service,
    Software,
)
from l0_infra.schemas.topology import PciDevice, Topology

__all__ = ["NodeFacts", "Unread"]


class Unread(Part, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Something that could not be read, and why; its facts are unknown, not absent."""

    what: Annotated[str, Meta(description="Source: a program or a file.")]
    reason: Annotated[
        Literal["hung", "failed", "denied", "garbled", "driver mismatch", "unreachable"],
        Meta(
            description="No answer in time, an error, more rights needed, nonsense, versions that differ, or no way"
            " to the node."
        ),
    ]
    detail: Annotated[str, Meta(description="What was found, in its own words.")] = ""
    hint: Annotated[str, Meta(description="How to mend it.")] = ""


class NodeFacts(Document, frozen=True, kw_only=True, forbid_unknown_fields=True, tag="node_facts"):
    """What one look at a node found. Unknown is null, never 0."""

    node: Annotated[str | None, Meta(description="Name it was asked for by; null: this machine.")] = None
    hostname: Annotated[str | None, Meta(description="Host name.")] = None
    boot_id: Annotated[str | None, Meta(description="Changes with every boot.")] = None
    probed_at: Annotated[float, Meta(description="When it was looked at, in seconds since the epoch, UTC.")]
    member_of: Annotated[
        Membership | None,
        Meta(description="Cluster that it was made part of by `ogai cluster up`; null: none."),
    ] = None
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
    counted: Annotated[
        tuple[Vendor, ...],
        Meta(
            description="Vendors whose accelerators are all listed, or have no tool here; others may have more."
        ),
    ] = ()
    fabric_manager: Annotated[
        FabricManager | None, Meta(description="What sets up NVSwitches, as its log tells; null: not read.")
    ] = None
    software: Annotated[
        tuple[Software, ...], Meta(description="Versions of drivers, libraries and firmware.")
    ] = ()
    services: Annotated[
        tuple[Service, ...] | None, Meta(description="Services that matter; null: not read.")
    ] = None
    security: Annotated[Security, Meta(description="What may forbid a driver, a port or a file.")] = (
        Security()
    )
    kernel: Annotated[KernelSettings, Meta(description="How the kernel was started and is set.")] = (
        KernelSettings()
    )
    resource_limits: Annotated[tuple[ResourceLimit, ...], Meta(description="Limits of processes.")] = ()
    clock: Annotated[ClockState, Meta(description="What keeps the clock.")] = ClockState()
    package_locks: Annotated[
        tuple[PackageLock, ...] | None,
        Meta(description="Locks of package managers that are held; null: not read."),
    ] = None
    memory_modules: Annotated[
        tuple[MemoryModule, ...] | None, Meta(description="Memory modules; null: not read.")
    ] = None
    memory_errors: Annotated[MemoryErrors, Meta(description="Errors of main memory since boot.")] = (
        MemoryErrors()
    )
    management: Annotated[
        ManagementController | None, Meta(description="The management controller; null: none, or not read.")
    ] = None
    pci: Annotated[
        tuple[PciDevice, ...] | None,
        Meta(
            description="Accelerators, network controllers, NVMe disks and switches on PCI; null: not read."
        ),
    ] = None
    fabric: Annotated[
        tuple[FabricPort, ...] | None, Meta(description="Ports of RDMA devices; null: not read.")
    ] = None
    neighbors: Annotated[
        tuple[Neighbor, ...] | None,
        Meta(description="Whom the network interfaces hear by LLDP; null: nobody listens, or not read."),
    ] = None
    topology: Annotated[
        Topology | None, Meta(description="How the devices lie to each other; null: not read.")
    ] = None
    kernel_events: Annotated[
        tuple[KernelEvent, ...] | None,
        Meta(
            description="What the kernel's log tells that matters, in the order of its last telling; null: not read."
        ),
    ] = None
    evidence: Annotated[tuple[str, ...], Meta(description="Sources that answered.")] = ()
    unread: Annotated[tuple[Unread, ...], Meta(description="What could not be read, and why.")] = ()
