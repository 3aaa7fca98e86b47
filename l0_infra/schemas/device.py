"""A device's data sheet: what an accelerator model can do at most, and who says so."""

from collections.abc import Iterator
from typing import Annotated, Literal

from msgspec import Meta

from l0_infra.core.documents import Bytes, Document, Part, repeated
from l0_infra.core.errors import Fault
from l0_infra.schemas.accelerator import Vendor

__all__ = ["Device", "DeviceLink", "PeakRate"]

Rate = Annotated[float, Meta(gt=0)]


class PeakRate(Part, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Peak arithmetic at one precision, dense."""

    precision: Annotated[
        Literal["fp64", "fp32", "tf32", "fp16", "bf16", "fp8", "fp4", "int8", "int4"],
        Meta(description="Number format of the operands."),
    ]
    flop_per_s: Annotated[
        Rate, Meta(description="Dense operations per second, a multiply-add counting two; no sparsity.")
    ]


class DeviceLink(Part, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The links of one kind that leave the device, together."""

    kind: Annotated[
        Literal["nvlink", "hccs", "xgmi", "pcie", "roce", "infiniband"], Meta(description="Kind of link.")
    ]
    count: Annotated[int, Meta(ge=1, description="Number of such links.")]
    bandwidth_bytes_per_s: Annotated[
        Rate, Meta(description="Bandwidth of all of them together, in one direction.")
    ]


class Device(Document, frozen=True, kw_only=True, forbid_unknown_fields=True, tag="device"):
    """Data sheet of one accelerator model."""

    vendor: Annotated[Vendor, Meta(description="Vendor.")]
    model: Annotated[str, Meta(min_length=1, description="Product name as the vendor's tool prints it.")]
    memory_bytes: Annotated[Bytes, Meta(description="Device memory.")]
    memory_bandwidth_bytes_per_s: Annotated[Rate, Meta(description="Peak bandwidth of the device memory.")]
    peak: Annotated[tuple[PeakRate, ...], Meta(min_length=1, description="Peak arithmetic by precision.")]
    links: Annotated[tuple[DeviceLink, ...], Meta(description="Links that leave the device.")] = ()
    sources: Annotated[
        tuple[Annotated[str, Meta(min_length=1)], ...],
        Meta(min_length=1, description="Where the numbers are published."),
    ]

    def faults(self) -> Iterator[Fault]:
        """Yield precisions and kinds of link that are named twice."""
        yield from repeated("peak", "precision", [peak.precision for peak in self.peak])
        yield from repeated("links", "kind", [link.kind for link in self.links])
