"""A node as a person lists it: where it is reached, and what it is known by."""

import re
from collections.abc import Iterator
from ipaddress import ip_address
from typing import Annotated

from msgspec import Meta

from l0_infra.core.documents import Document
from l0_infra.core.errors import Fault, FieldPath

__all__ = ["Address", "MacAddress", "Node", "NodeName", "address_fault", "name_fault"]

LABEL = r"^[A-Za-z0-9]([A-Za-z0-9-]{0,61}[A-Za-z0-9])?$"
NodeName = Annotated[str, Meta(pattern=LABEL)]
"""A host name of one label, as `hostname -s` prints it."""

Address = Annotated[str, Meta(min_length=1, max_length=253)]
"""An IPv4 or IPv6 address, or a host name."""

MacAddress = Annotated[str, Meta(pattern=r"^[0-9A-Fa-f]{2}([:-][0-9A-Fa-f]{2}){5}$")]

PART = r"[A-Za-z0-9]([A-Za-z0-9_-]*[A-Za-z0-9])?"
HOST_NAME = re.compile(rf"(?=.{{1,253}}$){PART}(\.{PART})*\.?")


class Node(Document, frozen=True, kw_only=True, forbid_unknown_fields=True, tag="node"):
    """One server as wished: its name, how it and its management controller are reached, its labels."""

    name: Annotated[
        NodeName, Meta(description="Host name, one label, unique in its cluster.", examples=["node001"])
    ]
    address: Annotated[
        Address | None, Meta(description="Address or host name for ssh; null: the name is resolved.")
    ] = None
    bmc_address: Annotated[
        Address | None, Meta(description="Address or host name of the management controller; null: none.")
    ] = None
    mac: Annotated[MacAddress | None, Meta(description="Hardware address of the port it boots from.")] = None
    serial: Annotated[str | None, Meta(description="Serial number on the chassis, as printed.")] = None
    uuid: Annotated[str | None, Meta(description="System UUID as the firmware tells it.")] = None
    node_class: Annotated[
        str, Meta(min_length=1, description="Class of equal nodes this one belongs to.")
    ] = "default"
    rack: Annotated[str | None, Meta(description="Rack, as labelled.")] = None
    rack_unit: Annotated[str | None, Meta(description="Lowest unit it takes in the rack, as labelled.")] = (
        None
    )

    def faults(self) -> Iterator[Fault]:
        """Yield addresses that are neither an IP address nor a host name."""
        for field, address in (("address", self.address), ("bmc_address", self.bmc_address)):
            if address is not None and (fault := address_fault(address, (field,))):
                yield fault


def name_fault(name: str, path: FieldPath) -> Fault | None:
    """Say what is wrong with a node name at `path`; None when it is a host name of one label."""
    if re.fullmatch(LABEL, name):
        return None
    return Fault(path=path, found=f"`{name}`", expected="letters, digits and inner hyphens, at most 63")


def address_fault(address: str, path: FieldPath) -> Fault | None:
    """Say what is wrong with an address at `path`; None when it is an IP address or a host name."""
    expected = "an IPv4 or IPv6 address, or a host name"
    if ":" not in address and not re.fullmatch(r"[0-9.]+", address):
        good = HOST_NAME.fullmatch(address) is not None
        return None if good else Fault(path=path, found=f"`{address}`", expected=expected)
    try:
        ip_address(address)
    except ValueError:
        hint = "each of the four numbers of an IPv4 address lies between 0 and 255, without leading zeros"
        return Fault(path=path, found=f"`{address}`", expected=expected, hint="" if ":" in address else hint)
    return None
