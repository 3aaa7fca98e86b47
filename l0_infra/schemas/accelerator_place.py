"""Where an accelerator is: on which board, in which rack, in which fabric of links."""

from typing import Annotated

from msgspec import Meta

from l0_infra.core.documents import Count, Part

__all__ = ["Board", "FabricMembership"]


class Board(Part, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The board it is on, and where in the machine or rack that is."""

    part_number: Annotated[str | None, Meta(description="Part number of the board.")] = None
    module: Annotated[Count | None, Meta(description="Number of its module on the baseboard.")] = None
    slot: Annotated[Count | None, Meta(description="Slot of the chassis that the machine is in.")] = None
    tray: Annotated[Count | None, Meta(description="Tray within the chassis.")] = None
    chassis_serial: Annotated[
        str | None, Meta(description="Serial number of the chassis; a rack that is one machine has one.")
    ] = None


class FabricMembership(Part, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Its place in a fabric of links that switches make: within the machine, or across a rack."""

    state: Annotated[
        str | None,
        Meta(description="State of its registration, in the vendor's word: `Completed`, `In Progress`."),
    ] = None
    status: Annotated[
        str | None, Meta(description="Outcome of that registration: `Success`, or the error.")
    ] = None
    cluster: Annotated[
        str | None, Meta(description="Id of the fabric, where several machines share one; null: none.")
    ] = None
    clique: Annotated[
        str | None, Meta(description="Id of the part of that fabric whose members reach each other.")
    ] = None
    health: Annotated[
        str | None, Meta(description="The vendor's verdict: `Healthy`, `Unhealthy`, `Limited Capacity`.")
    ] = None
    complaints: Annotated[
        tuple[str, ...],
        Meta(description="What the health report finds wrong: `route unhealthy`, `bandwidth Degraded`."),
    ] = ()
