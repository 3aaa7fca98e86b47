"""A network of a cluster: what it is for, its range, and what DHCP hands out of it."""

from collections.abc import Iterator
from ipaddress import IPv4Address, IPv4Network, IPv6Address, IPv6Network, ip_address, ip_network
from typing import Annotated, Literal

from msgspec import Meta

from l0_infra.core.documents import Part, Text
from l0_infra.core.errors import Fault, OgaiError
from l0_infra.core.nodeset import expand

__all__ = ["DhcpRange", "Network", "overlaps"]

IpAddress = IPv4Address | IPv6Address
IpNetwork = IPv4Network | IPv6Network


class DhcpRange(Part, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Addresses handed out by DHCP, both ends included."""

    first: Annotated[str, Meta(description="First address.", examples=["10.20.1.1"])]
    last: Annotated[str, Meta(description="Last address.", examples=["10.20.1.250"])]

    def faults(self) -> Iterator[Fault]:
        """Yield ends that are no addresses, and a range that runs backwards."""
        first, last = parse_address(self.first), parse_address(self.last)
        for field, text, address in (("first", self.first, first), ("last", self.last, last)):
            if address is None:
                yield Fault(path=(field,), found=f"`{text}`", expected="an IPv4 or IPv6 address")
        if first and last and first.version != last.version:
            yield Fault(path=(), found=f"{first} to {last}", expected="two addresses of one IP version")
        elif first and last and int(first) > int(last):
            yield Fault(
                path=(),
                found=f"{first} to {last}, which runs backwards",
                expected="`first` not above `last`",
                hint=f"write first: {last}, last: {first}",
            )


class Network(Part, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """One network, named by its purpose."""

    purpose: Annotated[
        Literal["management", "compute", "storage", "bmc"], Meta(description="What it carries.")
    ]
    cidr: Annotated[
        str | None,
        Meta(description="Its range: `10.20.0.0/16`; null: it has no addresses.", examples=["10.20.0.0/16"]),
    ] = None
    interfaces: Annotated[
        tuple[Text, ...],
        Meta(description="Interfaces or RDMA devices that carry it on every node: `eth0`, `mlx5_[0-3]`."),
    ] = ()
    gateway: Annotated[str | None, Meta(description="Its router; null: none.")] = None
    dhcp: Annotated[DhcpRange | None, Meta(description="What DHCP hands out of it; null: no DHCP.")] = None

    def listed(self) -> tuple[str, ...]:
        """List the interfaces and RDMA devices that carry it."""
        try:
            return tuple(name for text in self.interfaces for name in expand(text))
        except OgaiError:
            return self.interfaces

    def faults(self) -> Iterator[Fault]:
        """Yield a bad range, addresses that lie outside it, and a network that nothing tells from others."""
        network = parse_network(self.cidr) if self.cidr is not None else None
        if self.cidr is None and not self.interfaces:
            yield Fault(path=(), found="neither `cidr` nor `interfaces`", expected="what tells this network")
        if network is None and self.cidr is not None:
            hint = "the host part must be zero: `10.20.0.0/16`, not `10.20.0.1/16`"
            yield Fault(
                path=("cidr",), found=f"`{self.cidr}`", expected="a network with prefix length", hint=hint
            )
        if self.gateway is not None and parse_address(self.gateway) is None:
            yield Fault(path=("gateway",), found=f"`{self.gateway}`", expected="an IPv4 or IPv6 address")
        for path, text in self._members():
            address = parse_address(text)
            if network and address and address not in network:
                yield Fault(path=path, found=f"{address}", expected=f"an address inside {network}")

    def _members(self) -> Iterator[tuple[tuple[str, ...], str]]:
        if self.gateway is not None:
            yield ("gateway",), self.gateway
        if self.dhcp is not None:
            yield ("dhcp", "first"), self.dhcp.first
            yield ("dhcp", "last"), self.dhcp.last


def overlaps(networks: tuple[Network, ...]) -> Iterator[Fault]:
    """Yield each network that shares addresses with one before it; paths are relative to the list."""
    ranges = [parse_network(network.cidr) if network.cidr is not None else None for network in networks]
    for index, later in enumerate(ranges):
        for first, earlier in enumerate(ranges[:index]):
            if later and earlier and later.version == earlier.version and later.overlaps(earlier):
                found = f"{later}, which overlaps {earlier} of networks[{first}]"
                yield Fault(path=(index, "cidr"), found=found, expected="networks without common addresses")


def parse_address(text: str) -> IpAddress | None:
    """Read an IP address; None when it is none."""
    try:
        return ip_address(text)
    except ValueError:
        return None


def parse_network(text: str) -> IpNetwork | None:
    """Read a network with its prefix length; None when it is none or has host bits set."""
    try:
        return ip_network(text) if "/" in text else None
    except ValueError:
        return None
