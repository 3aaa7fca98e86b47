"""How the devices of a node lie to each other, and what follows for communication libraries."""

from typing import Annotated, Literal

from msgspec import Meta

from l0_infra.core.documents import Count, Part, Text
from l0_infra.schemas.accelerator_state import PcieLink

__all__ = ["Advice", "Affinity", "Nearest", "Pair", "PairPath", "PciDevice", "Topology"]

PairPath = Literal["nvlink", "hccs", "sio", "xgmi", "pix", "pxb", "phb", "node", "sys"]
"""Direct links (`sio` joins the two dies of an Ascend 910C), then: one PCIe bridge at most, several bridges, a host
bridge, several host bridges of one NUMA node, between NUMA nodes.
"""


class PciDevice(Part, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """One PCI device."""

    address: Annotated[Text, Meta(description="PCI address: `0000:c1:00.0`.")]
    class_id: Annotated[str | None, Meta(description="Class in hexadecimal: `0302` is a 3D controller.")] = (
        None
    )
    vendor_id: Annotated[str | None, Meta(description="Vendor in hexadecimal: `10de`.")] = None
    device_id: Annotated[str | None, Meta(description="Device in hexadecimal: `2330`.")] = None
    name: Annotated[str | None, Meta(description="Vendor and device in words, where a tool told them.")] = (
        None
    )
    driver: Annotated[str | None, Meta(description="Kernel driver.")] = None
    numa_node: Annotated[Count | None, Meta(description="NUMA node.")] = None
    bridges: Annotated[
        tuple[str, ...] | None, Meta(description="Bridges above it, outermost first; null: not read.")
    ] = None
    link: Annotated[PcieLink | None, Meta(description="Its link.")] = None


class Pair(Part, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """How two devices reach each other."""

    first: Annotated[Text, Meta(description="An accelerator or RDMA device: `nvidia:0`, `mlx5_0`.")]
    second: Annotated[Text, Meta(description="The other one.")]
    path: Annotated[PairPath, Meta(description="The worst thing on the best way.")]
    links: Annotated[
        Count | None, Meta(description="Direct links between them; for `nvlink` and its like.")
    ] = None


class Nearest(Part, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The RDMA devices next to an accelerator."""

    accelerator: Annotated[Text, Meta(description="The accelerator.")]
    ports: Annotated[
        tuple[str, ...],
        Meta(description="RDMA devices that are nearest, in natural order; none: none is there."),
    ] = ()
    path: Annotated[
        PairPath | None,
        Meta(description="How they are reached; null: by nothing, it is its own port, or none is there."),
    ] = None


class Affinity(Part, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Where in the machine an accelerator lies."""

    accelerator: Annotated[Text, Meta(description="The accelerator.")]
    cpus: Annotated[str | None, Meta(description="Logical CPUs next to it, as the kernel lists them.")] = None
    numa_node: Annotated[Count | None, Meta(description="NUMA node.")] = None


class Advice(Part, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A setting that follows from the topology."""

    name: Annotated[Text, Meta(description="Environment variable: `NCCL_IB_HCA`.")]
    value: Annotated[Text, Meta(description="Its value.")]
    reason: Annotated[Text, Meta(description="Why.")]
    source: Annotated[Text, Meta(description="Where it is published what the variable means.")]


class Topology(Part, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """How the devices of a node lie to each other."""

    pairs: Annotated[tuple[Pair, ...], Meta(description="Every two of them.")] = ()
    nearest: Annotated[tuple[Nearest, ...], Meta(description="RDMA devices next to each accelerator.")] = ()
    affinities: Annotated[tuple[Affinity, ...], Meta(description="Where each accelerator lies.")] = ()
    groups: Annotated[
        tuple[tuple[str, ...], ...],
        Meta(description="Accelerators that reach each other over direct links, if need be through others."),
    ] = ()
    ring: Annotated[
        tuple[str, ...], Meta(description="Order in which a ring over the accelerators crosses least.")
    ] = ()
    advice: Annotated[
        tuple[Advice, ...], Meta(description="Settings that follow, each with its reason.")
    ] = ()
