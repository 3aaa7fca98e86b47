"""The fabric that joins nodes: ports of RDMA devices, how they are set, what they counted."""

from typing import Annotated, Literal

from msgspec import Meta

from l0_infra.core.documents import Count, Part, Text
from l0_infra.schemas.accelerator_state import PcieLink

__all__ = ["Counter", "FabricPort", "Gid", "RoceSettings"]

Measured = Annotated[float, Meta(ge=0)]


class Counter(Part, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """One error or congestion counter of a port, in the kernel's word."""

    name: Annotated[
        Text, Meta(description="`symbol_error`, `link_downed`, `out_of_sequence`, `np_cnp_sent`.")
    ]
    value: Annotated[Count, Meta(description="Its value since the last reset.")]


class Gid(Part, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """One entry of a port's GID table."""

    index: Annotated[Count, Meta(description="Its index, as NCCL_IB_GID_INDEX takes it.")]
    gid: Annotated[Text, Meta(description="The GID.")]
    kind: Annotated[str | None, Meta(description="`IB/RoCE v1` or `RoCE v2`.")] = None
    interface: Annotated[str | None, Meta(description="Network interface it belongs to.")] = None


class RoceSettings(Part, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """How a port on Ethernet keeps RDMA traffic apart and unlost."""

    trust: Annotated[str | None, Meta(description="What sorts packets into priorities: `pcp` or `dscp`.")] = (
        None
    )
    pfc_priorities: Annotated[
        tuple[Count, ...] | None, Meta(description="Priorities with priority flow control; null: not read.")
    ] = None
    ecn_priorities: Annotated[
        tuple[Count, ...] | None,
        Meta(description="Priorities on which congestion is marked and heeded (DCQCN); null: not read."),
    ] = None
    traffic_class: Annotated[
        Count | None, Meta(description="Type of service of RDMA connections, where one is forced.")
    ] = None
    pause_rx: Annotated[bool | None, Meta(description="Whether global pause frames are heeded.")] = None
    pause_tx: Annotated[bool | None, Meta(description="Whether global pause frames are sent.")] = None


class FabricPort(Part, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """One port of one RDMA device."""

    device: Annotated[Text, Meta(description="RDMA device: `mlx5_0`.")]
    port: Annotated[Count, Meta(description="Number of the port.")]
    interface: Annotated[str | None, Meta(description="Its network interface: `ib0`, `ens1np0`.")] = None
    pci: Annotated[str | None, Meta(description="PCI address: `0000:c1:00.0`.")] = None
    numa_node: Annotated[Count | None, Meta(description="NUMA node it belongs to.")] = None
    device_type: Annotated[str | None, Meta(description="Type: `MT4129`.")] = None
    board: Annotated[str | None, Meta(description="Board id (PSID).")] = None
    firmware_version: Annotated[str | None, Meta(description="Version of its firmware.")] = None
    link_layer: Annotated[
        Literal["infiniband", "ethernet"] | None, Meta(description="What the port speaks.")
    ] = None
    state: Annotated[
        str | None,
        Meta(description="Logical state in lower case: `active`, `initializing`, `armed`, `down`."),
    ] = None
    physical_state: Annotated[
        str | None, Meta(description="Physical state in lower case: `linkup`, `polling`, `disabled`.")
    ] = None
    rate_bits_per_s: Annotated[
        Count | None, Meta(description="Rate, as the kernel tells; without a link it says nothing.")
    ] = None
    width: Annotated[Count | None, Meta(description="Lanes.")] = None
    mtu_bytes: Annotated[Count | None, Meta(description="MTU in use.")] = None
    guid: Annotated[str | None, Meta(description="GUID of the port.")] = None
    lid: Annotated[Count | None, Meta(description="Local id; 0: none given.")] = None
    subnet_manager_lid: Annotated[
        Count | None, Meta(description="Local id of the subnet manager; 0: none.")
    ] = None
    gids: Annotated[tuple[Gid, ...] | None, Meta(description="GIDs that are set; null: not read.")] = None
    roce: Annotated[
        RoceSettings | None, Meta(description="Settings on Ethernet; null: not Ethernet, or not read.")
    ] = None
    counters: Annotated[
        tuple[Counter, ...] | None,
        Meta(description="Counters of errors and congestion that are not 0; null: not read."),
    ] = None
    flaps: Annotated[
        Count | None, Meta(description="How often the link was lost in the window of the log that was read.")
    ] = None
    last_lost_uptime_s: Annotated[
        Measured | None, Meta(description="When it was last lost, in seconds since boot.")
    ] = None
    pcie: Annotated[PcieLink | None, Meta(description="Its PCI Express link.")] = None
    purpose: Annotated[
        Literal["compute", "storage", "management"] | None,
        Meta(description="What it is for, judged from rate, place and use; null: not known."),
    ] = None
    purpose_reason: Annotated[str | None, Meta(description="What the purpose was judged from.")] = None
