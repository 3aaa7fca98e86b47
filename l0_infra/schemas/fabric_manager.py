"""The service that sets up the switches between accelerators, as its log tells."""

from typing import Annotated

from msgspec import Meta

from l0_infra.core.documents import Count, Part, Positive, Text

__all__ = ["FabricManager", "FabricManagerEvent"]


class FabricManagerEvent(Part, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """One thing it complained of, as often as it did."""

    level: Annotated[Text, Meta(description="How bad it holds it, in its own word: `ERROR`, `WARNING`.")]
    text: Annotated[Text, Meta(description="What it said.")]
    count: Annotated[Positive, Meta(description="How often it said that.")] = 1
    last_at: Annotated[
        str | None, Meta(description="When it last did, as printed: `Feb 27 2025 15:10:02`, the node's time.")
    ] = None
    device: Annotated[str | None, Meta(description="PCI address of the switch or accelerator.")] = None
    code: Annotated[Count | None, Meta(description="The vendor's number for it (an SXid).")] = None


class FabricManager(Part, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """What its log tells; whether it runs is told with the other services."""

    software_version: Annotated[str | None, Meta(description="Version that last started.")] = None
    events: Annotated[
        tuple[FabricManagerEvent, ...],
        Meta(description="Its complaints, in the order of their last telling."),
    ] = ()
