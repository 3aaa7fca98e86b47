"""The documents this layer owns: a node as wished, found, to be made and judged; a device's data sheet."""

from l0_infra.schemas.accelerator import Accelerator, AcceleratorProcess, Vendor
from l0_infra.schemas.accelerator_place import Board, FabricMembership
from l0_infra.schemas.accelerator_state import (
    AcceleratorLink,
    Clocks,
    Condition,
    Ecc,
    HeldBack,
    MemoryRepair,
    Partition,
    Partitioning,
    PcieLink,
    Throttle,
)
from l0_infra.schemas.attached import Disk, Mount, NetworkInterface
from l0_infra.schemas.board import DiskHealth, ManagementController, MemoryErrors, MemoryModule
from l0_infra.schemas.device import AchievedRate, Device, DeviceLink, DeviceSource, PeakRate
from l0_infra.schemas.fabric import Counter, FabricPort, Gid, RoceSettings
from l0_infra.schemas.fabric_manager import FabricManager, FabricManagerEvent
from l0_infra.schemas.identity import IdentityKey, identity_of
from l0_infra.schemas.inspection import Finding, Inspection, Undecided
from l0_infra.schemas.kernel_event import (
    SEVERITIES,
    EventAction,
    KernelCatalogue,
    KernelEvent,
    KnownEvent,
    Severity,
)
from l0_infra.schemas.machine import CgroupLimits, Chassis, Cpu, Hugepages, Memory, NumaNode, OperatingSystem
from l0_infra.schemas.membership import Membership
from l0_infra.schemas.neighbor import FabricMap, FabricSwitch, HostPort, Neighbor
from l0_infra.schemas.node import MacAddress, Node, address_fault, name_fault
from l0_infra.schemas.node_facts import NodeFacts, Unread
from l0_infra.schemas.operating import (
    ClockState,
    KernelModule,
    KernelSettings,
    PackageLock,
    ResourceLimit,
    Security,
    Service,
    Software,
)
from l0_infra.schemas.pins import HugepagesPin, Pins, SoftwarePin
from l0_infra.schemas.plan import ApplyRole, Plan, Reboot, RunCommand, Step, WaitFor, WriteFile
from l0_infra.schemas.role import WATCHING, Outcome, Role, Where
from l0_infra.schemas.rules import Expectation, NodeRules, Rule
from l0_infra.schemas.topology import Advice, Affinity, Nearest, Pair, PairPath, PciDevice, Topology
from l0_infra.schemas.wanted import Packages, Time, Tuning

__all__ = [
    "SEVERITIES",
    "WATCHING",
    "Accelerator",
    "AcceleratorLink",
    "AcceleratorProcess",
    "AchievedRate",
    "Advice",
    "Affinity",
    "ApplyRole",
    "Board",
    "CgroupLimits",
    "Chassis",
    "ClockState",
    "Clocks",
    "Condition",
    "Counter",
    "Cpu",
    "Device",
    "DeviceLink",
    "DeviceSource",
    "Disk",
    "DiskHealth",
    "Ecc",
    "EventAction",
    "Expectation",
    "FabricManager",
    "FabricManagerEvent",
    "FabricMap",
    "FabricMembership",
    "FabricPort",
    "FabricSwitch",
    "Finding",
    "Gid",
    "HeldBack",
    "HostPort",
    "Hugepages",
    "HugepagesPin",
    "IdentityKey",
    "Inspection",
    "KernelCatalogue",
    "KernelEvent",
    "KernelModule",
    "KernelSettings",
    "KnownEvent",
    "MacAddress",
    "ManagementController",
    "Membership",
    "Memory",
    "MemoryErrors",
    "MemoryModule",
    "MemoryRepair",
    "Mount",
    "Nearest",
    "Neighbor",
    "NetworkInterface",
    "Node",
    "NodeFacts",
    "NodeRules",
    "NumaNode",
    "OperatingSystem",
    "Outcome",
    "PackageLock",
    "Packages",
    "Pair",
    "PairPath",
    "Partition",
    "Partitioning",
    "PciDevice",
    "PcieLink",
    "PeakRate",
    "Pins",
    "Plan",
    "Reboot",
    "ResourceLimit",
    "RoceSettings",
    "Role",
    "Rule",
    "RunCommand",
    "Security",
    "Service",
    "Severity",
    "Software",
    "SoftwarePin",
    "Step",
    "Throttle",
    "Time",
    "Topology",
    "Tuning",
    "Undecided",
    "Unread",
    "Vendor",
    "WaitFor",
    "Where",
    "WriteFile",
    "address_fault",
    "identity_of",
    "name_fault",
]
