"""One accelerator as its vendor's tool shows it, the same words for every vendor."""

from typing import Annotated, Literal

from msgspec import Meta

from l0_infra.core.documents import Bytes, Count, Part
from l0_infra.schemas.accelerator_place import Board, FabricMembership
from l0_infra.schemas.accelerator_state import (
    AcceleratorLink,
    Clocks,
    Condition,
    Ecc,
    MemoryRepair,
    Partitioning,
    PcieLink,
)

__all__ = ["Accelerator", "AcceleratorProcess", "Vendor"]

Vendor = Literal["amd", "ascend", "nvidia"]


class AcceleratorProcess(Part, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A process that holds an accelerator."""

    pid: Annotated[int, Meta(ge=1, description="Process id, as the vendor's tool prints it.")]
    memory_bytes: Annotated[Bytes | None, Meta(description="Device memory it holds.")] = None
    name: Annotated[str | None, Meta(description="Its program, without folder and arguments.")] = None


class Accelerator(Part, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """One accelerator. Unknown is null, never 0."""

    id: Annotated[str, Meta(min_length=1, description="Name within the node: `nvidia:0`.")]
    vendor: Annotated[Vendor, Meta(description="Vendor.")]
    index: Annotated[int, Meta(ge=0, description="Its number in the vendor's visibility variable.")]
    model: Annotated[str | None, Meta(description="Product name as the vendor's tool prints it.")] = None
    uuid: Annotated[str | None, Meta(description="The vendor's unique id.")] = None
    memory_bytes: Annotated[Bytes | None, Meta(description="Device memory.")] = None
    memory_used_bytes: Annotated[Bytes | None, Meta(description="Device memory in use.")] = None
    utilization_percent: Annotated[
        Annotated[float, Meta(ge=0, le=100)] | None,
        Meta(description="Share of time its cores were busy lately."),
    ] = None
    pci: Annotated[str | None, Meta(description="PCI address: `0000:c1:00.0`.")] = None
    driver_version: Annotated[str | None, Meta(description="Version of the driver.")] = None
    processes: Annotated[
        tuple[AcceleratorProcess, ...] | None,
        Meta(description="Processes that hold it; null: not known, so it may be busy."),
    ] = None
    serial: Annotated[str | None, Meta(description="Serial number of the board.")] = None
    firmware_version: Annotated[str | None, Meta(description="Version of its firmware (VBIOS).")] = None
    device_file: Annotated[
        str | None, Meta(description="Its file: `/dev/nvidia3`; the number may differ from the index.")
    ] = None
    numa_node: Annotated[Count | None, Meta(description="NUMA node it belongs to.")] = None
    device: Annotated[
        str | None, Meta(description="Name of the `device` document it matches; null: none.")
    ] = None
    board: Annotated[Board | None, Meta(description="Its board and where that is; null: not read.")] = None
    condition: Annotated[Condition | None, Meta(description="How it does; null: not read.")] = None
    clocks: Annotated[Clocks | None, Meta(description="Its clocks; null: not read.")] = None
    ecc: Annotated[
        Ecc | None, Meta(description="Error correction of its memory; null: none, or not read.")
    ] = None
    memory_repair: Annotated[
        MemoryRepair | None, Meta(description="Memory taken out of use; null: not read.")
    ] = None
    pcie: Annotated[PcieLink | None, Meta(description="Its PCI Express link; null: not read.")] = None
    links: Annotated[
        tuple[AcceleratorLink, ...] | None, Meta(description="Links to other accelerators; null: not read.")
    ] = None
    links_up: Annotated[Count | None, Meta(description="How many of them are up; null: not read.")] = None
    fabric: Annotated[
        FabricMembership | None, Meta(description="Its place in a switched fabric; null: none, or not read.")
    ] = None
    partitioning: Annotated[
        Partitioning | None, Meta(description="Partitions (MIG); null: none, or not read.")
    ] = None
