"""What a kernel's log tells that matters to accelerators, fabrics, memory and disks."""

import re
from collections.abc import Iterator
from typing import Annotated, Literal, get_args

from msgspec import Meta

from l0_infra.core.documents import Count, Document, Part, Positive, Seconds, Text, Time
from l0_infra.core.errors import Fault

VARYING = r"\*|\{device\}|\{interface\}|\{code\}"
CODE = "{code}"
SHORTEST = 4
"""A log is searched for the longest piece of a text first; a shorter one stands in too many lines."""

__all__ = ["SEVERITIES", "EventAction", "KernelCatalogue", "KernelEvent", "KnownEvent", "Severity"]

Severity = Literal["fatal", "error", "warning", "notice"]
"""`fatal`: the node or device cannot work; `error`: it will fail or falsify work; `warning`: it costs speed or may
become worse; `notice`: worth knowing.
"""

SEVERITIES: tuple[Severity, ...] = get_args(Severity)
"""All of them, worst first."""

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
        Meta(
            description="What it happened to: a PCI address, a disk, a network interface, a CPU, a process."
        ),
    ] = None
    code: Annotated[Count | None, Meta(description="The vendor's number for it: an Xid, an SXid.")] = None
    count: Annotated[
        Positive, Meta(description="How often it was told of this device, in the lines that were read.")
    ] = 1
    first_at: Annotated[
        Time | None,
        Meta(
            description="When it was first told, in seconds since the epoch; a log's local time counts as UTC"
            " where the node's time zone is not known."
        ),
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

    name: Annotated[
        str,
        Meta(
            pattern=r"^[A-Za-z0-9][A-Za-z0-9._{}-]{0,63}$",
            description="Its name; `{code}` in it is the vendor's number: `xid-{code}`.",
        ),
    ]
    texts: Annotated[
        tuple[Text, ...],
        Meta(
            min_length=1,
            description="Lines that contain one of these are this event: `*` is anything, `{device}` what it"
            " happened to, `{interface}` a network interface that is not virtual, `{code}` the vendor's number;"
            " where a text has several lines, each follows within four lines of the one before.",
            examples=[["NVRM: Xid ({device}): {code},", "{interface}: lost carrier"]],
        ),
    ]
    codes: Annotated[
        tuple[Count, ...],
        Meta(description="The vendor's numbers, one of which must stand in place of `{code}`; none: any."),
    ] = ()
    severity: Annotated[Severity, Meta(description="How bad it is.")]
    meaning: Annotated[Text, Meta(description="What it means, in a sentence or two.")]
    action: Annotated[EventAction, Meta(description="What should be done.")]
    advice: Annotated[str | None, Meta(description="What a person can do, in words.")] = None
    source: Annotated[Text, Meta(description="Where that is published.")]

    def faults(self) -> Iterator[Fault]:
        """Yield texts that would be found in nearly every line, and numbers that stand in none."""
        for index, text in enumerate(self.texts):
            for line in text.split("\n"):
                if max(map(len, re.split(VARYING, line))) < SHORTEST:
                    expected = f"at least {SHORTEST} characters in a row that do not vary, in each line"
                    yield Fault(path=("texts", index), found=f"`{text}`", expected=expected)
            if (self.codes or CODE in self.name) and CODE not in text:
                yield Fault(path=("texts", index), found=f"`{text}`", expected=f"a text with {CODE}")


class KernelCatalogue(
    Document, frozen=True, kw_only=True, forbid_unknown_fields=True, tag="kernel_catalogue"
):
    """What lines of the kernel's log mean."""

    events: Annotated[
        tuple[KnownEvent, ...], Meta(description="The events; of several that fit a line the first counts.")
    ]

    def faults(self) -> Iterator[Fault]:
        """Yield names that are given twice, the numbers in them filled in."""
        named: dict[str, int] = {}
        for index, event in enumerate(self.events):
            for code in event.codes if CODE in event.name else ("",):
                name = event.name.replace(CODE, str(code))
                if named.setdefault(name, index) != index:
                    found = f"`{name}`, already that of events[{named[name]}]"
                    yield Fault(path=("events", index, "name"), found=found, expected="a unique name")
