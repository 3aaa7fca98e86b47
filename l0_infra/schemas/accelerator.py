"""One accelerator as its vendor's tool shows it, the same words for every vendor."""

from typing import Annotated, Literal

from msgspec import Meta

from l0_infra.core.documents import Bytes, Part

__all__ = ["Accelerator", "AcceleratorProcess", "Vendor"]

Vendor = Literal["amd", "ascend", "nvidia"]


class AcceleratorProcess(Part, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A process that holds an accelerator."""

    pid: Annotated[int, Meta(ge=1, description="Process id, as the vendor's tool prints it.")]
    memory_bytes: Annotated[Bytes | None, Meta(description="Device memory it holds.")] = None


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
