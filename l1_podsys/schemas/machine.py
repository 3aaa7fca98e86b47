"""What a node's machine is known by before it answers: labels, serial number, hardware address."""

from typing import Annotated

from msgspec import Meta

from l0_infra.core.documents import Part, Text
from l0_infra.schemas import MacAddress

__all__ = ["Machine"]


class Machine(Part, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """One machine, as its labels and its delivery note say."""

    serial: Annotated[Text | None, Meta(description="Serial number on the chassis, as printed.")] = None
    mac: Annotated[MacAddress | None, Meta(description="Hardware address of the port it boots from.")] = None
    uuid: Annotated[Text | None, Meta(description="System UUID as the firmware tells it.")] = None
    rack: Annotated[Text | None, Meta(description="Rack, as labelled.")] = None
    rack_unit: Annotated[Text | None, Meta(description="Lowest unit it takes in the rack, as labelled.")] = (
        None
    )
