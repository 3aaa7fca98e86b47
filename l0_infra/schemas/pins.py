"""What a node should run: versions of drivers and tools, kernel settings."""

from collections.abc import Iterator
from typing import Annotated, Literal

from msgspec import Meta, field

from l0_infra.core.documents import Document, Part, Text, repeated
from l0_infra.core.errors import Fault

__all__ = ["HugepagesPin", "Pins", "SoftwarePin"]

PageBytes = Annotated[int, Meta(ge=4096, extra_json_schema={"x-unit": "bytes"})]


class SoftwarePin(Part, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The wanted version of one piece of software."""

    vendor: Annotated[
        Literal["nvidia", "ascend", "amd", "mellanox", "os"],
        Meta(description="Who makes it; `os`: the distribution."),
    ]
    component: Annotated[
        Text, Meta(description="Which piece: `driver`, `cuda`, `cann`, `rocm`, `doca`, a package.")
    ]
    version: Annotated[
        Text, Meta(description="Wanted version, as its maker writes it: `535.10` stays `535.10`.")
    ]


class HugepagesPin(Part, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """How many huge pages of one size are reserved."""

    size_bytes: Annotated[PageBytes, Meta(description="Size of one page.")]
    count: Annotated[int, Meta(ge=0, description="Pages reserved on the whole node.")]


class Pins(Document, frozen=True, kw_only=True, forbid_unknown_fields=True, tag="pins"):
    """Wanted drivers and settings; what is not named is left as it is."""

    kernel: Annotated[Text | None, Meta(description="Wanted kernel release, as `uname -r` prints it.")] = None
    software: Annotated[tuple[SoftwarePin, ...], Meta(description="Wanted versions.")] = ()
    sysctl: Annotated[dict[Text, str], Meta(description="Kernel settings by their sysctl name.")] = field(
        default_factory=dict
    )
    kernel_arguments: Annotated[
        tuple[Text, ...], Meta(description="Arguments the kernel is booted with.")
    ] = ()
    hugepages: Annotated[tuple[HugepagesPin, ...], Meta(description="Huge pages to reserve.")] = ()

    def faults(self) -> Iterator[Fault]:
        """Yield what is pinned twice."""
        software = [f"{pin.vendor} {pin.component}" for pin in self.software]
        yield from repeated("software", "component", software)
        yield from repeated("hugepages", "size_bytes", [pin.size_bytes for pin in self.hugepages])
