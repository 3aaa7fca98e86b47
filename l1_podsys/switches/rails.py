"""The rails of a node: its ports on the network that work is placed by, in order, and who is at their other ends.

That is the network of purpose `compute`: as the document names it, else the ports that look like it. Where there is
none it is the management network. The order is the document's, else that of the names; the first rail counts.
"""

from collections.abc import Iterator, Sequence
from ipaddress import ip_address, ip_network
from typing import Literal

import msgspec

from l0_infra.core.nodeset import natural_key
from l0_infra.schemas import FabricPort, Neighbor, NetworkInterface, Node, NodeFacts
from l1_podsys.schemas import Cluster, Network

__all__ = ["Heard", "Rail", "rails_of", "remember"]

Purpose = Literal["compute", "management"]
FORWARDS = frozenset(("bridge", "router"))


class Heard(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """A device that is heard by LLDP; whether it forwards what it gets is None where it does not say."""

    name: str = ""
    id: str = ""
    forwards: bool | None = None


class Rail(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """One port. `heard` is None where nobody listens, `remembered` tells that it was heard before and is not now."""

    interface: str
    network: Purpose = "compute"
    device: str = ""
    """RDMA device, and `port` its port, where it speaks InfiniBand."""
    port: int = 0
    guid: str = ""
    heard: tuple[Heard, ...] | None = None
    remembered: bool = False

    @property
    def infiniband(self) -> bool:
        """Whether it speaks InfiniBand."""
        return bool(self.device)


def rails_of(node: Node, facts: NodeFacts, cluster: Cluster) -> tuple[Rail, ...]:
    """List a node's rails; those of the management network only where it has none of compute and none is named."""
    networks = {one.purpose for one in cluster.networks}
    found = tuple(_rails("compute", _named(cluster, facts, "compute"), facts))
    if found or "compute" in networks:
        return found
    found = tuple(_rails("compute", _judged(facts), facts))
    if found:
        return found
    names = _named(cluster, facts, "management") or _carriers(facts, node.address)
    return tuple(_rails("management", names, facts))


def remember(rails: Sequence[Rail], before: Sequence[Rail]) -> tuple[Rail, ...]:
    """Keep who was heard before at a port that hears nobody now: a silent switch is no other switch."""
    last = {one.interface: one.heard for one in before}
    return tuple(
        one
        if one.heard or one.infiniband or not last.get(one.interface)
        else msgspec.structs.replace(one, heard=last[one.interface], remembered=True)
        for one in rails
    )


def _named(cluster: Cluster, facts: NodeFacts, purpose: Purpose) -> list[str]:
    """Name what carries the networks of a purpose on this node: by name, else by an address in their range."""
    return [
        name
        for network in cluster.networks
        if network.purpose == purpose
        for name in network.listed() or _inside(network, facts)
    ]


def _inside(network: Network, facts: NodeFacts) -> list[str]:
    wide = ip_network(network.cidr or "0.0.0.0/32")
    return [one.name for one in facts.interfaces if any(ip_address(text) in wide for text in _addresses(one))]


def _carriers(facts: NodeFacts, address: str | None) -> list[str]:
    return [one.name for one in facts.interfaces if address in _addresses(one)]


def _addresses(one: NetworkInterface) -> list[str]:
    return [text.partition("/")[0] for text in one.addresses or ()]


def _judged(facts: NodeFacts) -> list[str]:
    ports = {port.device for port in facts.fabric or () if port.purpose == "compute"}
    return sorted(ports, key=natural_key)


def _rails(purpose: Purpose, names: Sequence[str], facts: NodeFacts) -> Iterator[Rail]:
    """Yield the ports behind names of interfaces, bonds, VLANs and RDMA devices, each once."""
    seen: set[str] = set()
    for name in names:
        ports = [port for port in facts.fabric or () if name in (port.device, port.interface)]
        beyond = [port for port in ports if port.link_layer == "infiniband"]
        rails = (
            [_fabric_rail(purpose, port) for port in beyond]
            if beyond
            else [_ethernet_rail(purpose, one, facts) for one in _ends(name, ports, facts)]
        )
        yield from (rail for rail in rails if rail.interface not in seen)
        seen.update(rail.interface for rail in rails)


def _ends(name: str, ports: Sequence[FabricPort], facts: NodeFacts) -> tuple[str, ...]:
    """Name the interfaces with a cable: those of a bond, the one below a VLAN; none where the node lacks it."""
    interface = next((port.interface for port in ports if port.interface), name).partition(".")[0]
    there = {one.name: one.members for one in facts.interfaces}
    if not there.get(interface) and interface not in there and not ports:
        return ()
    return there.get(interface) or (interface,)


def _fabric_rail(purpose: Purpose, port: FabricPort) -> Rail:
    name = port.device if port.port == 1 else f"{port.device}/{port.port}"
    return Rail(interface=name, network=purpose, device=port.device, port=port.port, guid=port.guid or "")


def _ethernet_rail(purpose: Purpose, interface: str, facts: NodeFacts) -> Rail:
    heard = facts.neighbors
    told = None if heard is None else tuple(_heard(one) for one in heard if one.interface == interface)
    return Rail(interface=interface, network=purpose, heard=told)


def _heard(one: Neighbor) -> Heard:
    forwards = None if one.capabilities is None else bool(FORWARDS.intersection(one.capabilities))
    return Heard(name=one.name or "", id=one.chassis or "", forwards=forwards)
