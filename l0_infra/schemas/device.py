"""A device's data sheet: what an accelerator model can do at most, and who says so."""

from collections.abc import Iterator
from typing import Annotated, Literal

from msgspec import Meta

from l0_infra.core.documents import Bytes, Document, Name, Part, Positive, Text, repeated
from l0_infra.core.errors import Fault
from l0_infra.schemas.accelerator import Vendor

__all__ = ["AchievedRate", "Device", "DeviceLink", "DeviceSource", "PeakRate"]

Rate = Annotated[float, Meta(gt=0)]

Subject = Literal["memory", "memory bandwidth", "peak", "links", "achieved"]


class PeakRate(Part, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Peak arithmetic at one precision, dense."""

    precision: Annotated[
        Literal["fp64", "fp32", "tf32", "fp16", "bf16", "fp8", "fp4", "int8", "int4"],
        Meta(description="Number format of the operands."),
    ]
    flop_per_s: Annotated[
        Rate,
        Meta(description="Dense operations per second of its fastest unit; a multiply-add counts two."),
    ]


class AchievedRate(Part, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The best that was measured of one kind of kernel, whatever the size it was measured at."""

    kernel: Annotated[
        Literal[
            "matmul",
            "attention_forward",
            "attention_backward",
            "own_attention_forward",
            "own_attention_backward",
        ],
        Meta(
            description="What was measured: dense matrix products, or causal fused attention one way with heads of 128:"
            " FlashAttention-2, or one written for the device (`own`: FlashAttention-3, cuDNN)."
        ),
    ]
    precision: Annotated[
        Literal["fp32", "tf32", "fp16", "bf16", "fp8"], Meta(description="Number format of the operands.")
    ]
    flop_per_s: Annotated[Rate, Meta(description="Operations per second; a multiply-add counts two.")]


class DeviceLink(Part, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The links of one kind that leave the device, together."""

    kind: Annotated[
        Literal["nvlink", "hccs", "xgmi", "pcie", "roce", "infiniband"], Meta(description="Kind of link.")
    ]
    count: Annotated[int, Meta(ge=1, description="Number of such links; a PCIe slot counts as one.")]
    bandwidth_bytes_per_s: Annotated[
        Rate, Meta(description="Bandwidth of all of them together, in one direction.")
    ]
    reach: Annotated[
        Positive | None,
        Meta(
            description="Accelerators that they join, through switches of their own; null: those of a node."
        ),
    ] = None


class DeviceSource(Part, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """One publication, and which of the numbers it has."""

    url: Annotated[str, Meta(pattern="^https?://", description="Where it is published.")]
    title: Annotated[Text, Meta(description="What it is.")]
    subjects: Annotated[
        tuple[Subject, ...],
        Meta(
            min_length=1,
            description="Which numbers are taken from it.",
            examples=[["memory", "memory bandwidth", "peak", "links"]],
        ),
    ]
    secondary: Annotated[bool, Meta(description="Whether somebody else than the vendor says so.")] = False


class Device(Document, frozen=True, kw_only=True, forbid_unknown_fields=True, tag="device"):
    """Data sheet of one accelerator model, as its vendor's tool counts accelerators."""

    name: Annotated[Name, Meta(description="Short name: `h100-sxm-80`.")]
    vendor: Annotated[Vendor, Meta(description="Vendor.")]
    model: Annotated[str, Meta(min_length=1, description="Product name.")]
    printed_names: Annotated[
        tuple[Text, ...],
        Meta(
            min_length=1,
            description="Names that tools print for it; letter case and the vendor's name aside.",
        ),
    ]
    accelerators_per_package: Annotated[
        Positive,
        Meta(description="How many accelerators one package holds; all numbers are those of one of them."),
    ] = 1
    memory_bytes: Annotated[Bytes, Meta(description="Device memory.")]
    memory_bandwidth_bytes_per_s: Annotated[Rate, Meta(description="Peak bandwidth of the device memory.")]
    peak: Annotated[
        tuple[PeakRate, ...], Meta(description="Peak arithmetic by precision; none: not published.")
    ] = ()
    achieved: Annotated[
        tuple[AchievedRate, ...], Meta(description="What microbenchmarks reached of it; none: not published.")
    ] = ()
    links: Annotated[tuple[DeviceLink, ...], Meta(description="Links that leave the device.")] = ()
    sources: Annotated[
        tuple[DeviceSource, ...], Meta(min_length=1, description="Where the numbers are published.")
    ]
    notes: Annotated[tuple[Text, ...], Meta(description="What one must know to use the numbers.")] = ()

    def faults(self) -> Iterator[Fault]:
        """Yield precisions and kinds of link that are named twice, and numbers for which no source stands."""
        yield from repeated("peak", "precision", [peak.precision for peak in self.peak])
        yield from repeated("links", "kind", [link.kind for link in self.links])
        yield from repeated(
            "achieved", "kernel", [f"{one.kernel} in {one.precision}" for one in self.achieved]
        )
        known = {subject for source in self.sources for subject in source.subjects}
        needed = [
            "memory",
            "memory bandwidth",
            *(["peak"] if self.peak else []),
            *(["links"] if self.links else []),
            *(["achieved"] if self.achieved else []),
        ]
        for subject in needed:
            if subject not in known:
                yield Fault(
                    path=("sources",), found=f"none for {subject}", expected="a source for every number"
                )
