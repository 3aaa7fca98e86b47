"""What a kernel's log tells that matters to accelerators, fabrics, memory and disks."""

from collections.abc import Iterator
from typing import Annotated, Literal

from msgspec import Meta

from l0_infra.core.documents import Count, Document, Name, Part, Positive, Seconds, Text, Time, repeated
from l0_infra.core.errors import Fault

__all__ = ["EventAction", "KernelCatalogue", "KernelEvent", "KnownEvent", "Severity"]

Severity = Literal["fatal", "error", "warning", "notice"]
"""`fatal`: the node or device cannot work; `error`: it will fail or falsify work; `warning`: it costs speed or may
become worse; `notice`: worth knowing.
"""

EventAction = Literal[
    "none",
    "watch",
    "restart work",
    "reset device",
    "reload driver",
    "reboot node",
    "update software",
    "check cabling",
    "check cooling",
    "check power",
    "free memory",
    "replace disk",
    "replace memory",
    "replace device",
    "contact vendor",
]
"""What should be done next about an event, mildest first."""


class KernelEvent(Part, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """One thing the kernel's log told, as often as it did."""

    name: Annotated[Text, Meta(description="Its name in the catalogue: `xid-79`, `mlx5-pcie-bandwidth`.")]
    severity: Annotated[Severity, Meta(description="How bad it is.")]
    device: Annotated[
        str | None,
        Meta(description="What it happened to: a PCI address, a disk, a network interface, a CPU."),
    ] = None
    code: Annotated[Count | None, Meta(description="The vendor's number for it: an Xid, an SXid.")] = None
    count: Annotated[Positive, Meta(description="How often it was told of this device.")] = 1
    first_at: Annotated[
        Time | None, Meta(description="When it was first told, in seconds since the epoch.")
    ] = None
    last_at: Annotated[
        Time | None, Meta(description="When it was last told, in seconds since the epoch.")
    ] = None
    first_uptime_s: Annotated[
        Seconds | None, Meta(description="When it was first told, in seconds since boot.")
    ] = None
    last_uptime_s: Annotated[
        Seconds | None, Meta(description="When it was last told, in seconds since boot.")
    ] = None
    text: Annotated[str, Meta(description="The last line that told it.")]
    meaning: Annotated[Text, Meta(description="What it means.")]
    action: Annotated[EventAction, Meta(description="What should be done.")]
    advice: Annotated[str | None, Meta(description="What a person can do, in words.")] = None
    source: Annotated[str | None, Meta(description="Where that is published.")] = None


class KnownEvent(Part, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """One entry: how it is recognised, what it means, what should be done."""

    name: Annotated[Name, Meta(description="Its name.")]
    texts: Annotated[
        tuple[Text, ...],
        Meta(
            description="Lines that contain one of these are this event: `*` is anything,"
            " `{device}` and `{code}` are what they say."
        ),
    ]
    code: Annotated[
        Count | None, Meta(description="The vendor's number that must stand in place of `{code}`; null: any.")
    ] = None
    severity: Annotated[Severity, Meta(description="How bad it is.")]
    meaning: Annotated[Text, Meta(description="What it means, in a sentence or two.")]
    action: Annotated[EventAction, Meta(description="What should be done.")]
    advice: Annotated[str | None, Meta(description="What a person can do, in words.")] = None
    source: Annotated[str | None, Meta(description="Where that is published.")] = None


class KernelCatalogue(
    Document, frozen=True, kw_only=True, forbid_unknown_fields=True, tag="kernel_catalogue"
):
    """What lines of the kernel's log mean."""

    events: Annotated[
        tuple[KnownEvent, ...], Meta(description="The events; of several that fit a line the first counts.")
    ]

    def faults(self) -> Iterator[Fault]:
        """Yield names that are given twice."""
        yield from repeated("events", "name", [event.name for event in self.events])
