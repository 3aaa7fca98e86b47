"""The documents this layer owns: a node as wished, as found, as it should be made; a device's data sheet."""

from l0_infra.schemas.accelerator import Accelerator, AcceleratorProcess
from l0_infra.schemas.device import Device, DeviceLink, PeakRate
from l0_infra.schemas.identity import IdentityKey, identity_of
from l0_infra.schemas.node import Node, address_fault, name_fault
from l0_infra.schemas.node_facts import (
    CgroupLimits,
    Chassis,
    Cpu,
    Disk,
    Hugepages,
    Memory,
    Mount,
    NetworkInterface,
    NodeFacts,
    NumaNode,
    OperatingSystem,
    Unread,
)
from l0_infra.schemas.pins import HugepagesPin, Pins, SoftwarePin
from l0_infra.schemas.plan import ApplyRole, Plan, Reboot, RunCommand, Step, WaitFor, WriteFile

__all__ = [
    "Accelerator",
    "AcceleratorProcess",
    "ApplyRole",
    "CgroupLimits",
    "Chassis",
    "Cpu",
    "Device",
    "DeviceLink",
    "Disk",
    "Hugepages",
    "HugepagesPin",
    "IdentityKey",
    "Memory",
    "Mount",
    "NetworkInterface",
    "Node",
    "NodeFacts",
    "NumaNode",
    "OperatingSystem",
    "PeakRate",
    "Pins",
    "Plan",
    "Reboot",
    "RunCommand",
    "SoftwarePin",
    "Step",
    "Unread",
    "WaitFor",
    "WriteFile",
    "address_fault",
    "identity_of",
    "name_fault",
]
