"""By which addresses nodes are known, and which of them lie in a wanted network."""

from collections.abc import Iterator
from ipaddress import ip_address, ip_interface, ip_network

from l0_infra.schemas import NodeFacts
from l1_podsys.gates.view import NodeView
from l1_podsys.schemas import Cluster, Network

__all__ = ["address_in", "carrier_of", "held_in", "own_addresses", "same_address"]


def address_in(network: Network, facts: NodeFacts) -> str | None:
    """Return the node's own address in a network; None when it has none or the network has no range."""
    held = (address for _, address in held_in(network, facts))
    return next(held, None)


def held_in(network: Network, facts: NodeFacts) -> Iterator[tuple[str, str]]:
    """Yield interface and address of the node's addresses within a network."""
    if network.cidr is None:
        return
    wanted = ip_network(network.cidr)
    for interface in facts.interfaces:
        for text in interface.addresses or ():
            address = ip_interface(text).ip
            if address.version == wanted.version and address in wanted:
                yield interface.name, str(address)


def own_addresses(address: str, facts: NodeFacts | None) -> tuple[str, ...]:
    """List the IP addresses known of a node: that of the document, and what its interfaces have; loopback is none."""
    held = (
        str(ip_interface(text).ip)
        for interface in (() if facts is None else facts.interfaces)
        for text in interface.addresses or ()
    )
    return tuple(dict.fromkeys(one for one in (address, *held) if _is_address(one)))


def _is_address(text: str) -> bool:
    """Tell whether a text is an IP address by which other nodes may know a node."""
    try:
        return not ip_address(text).is_loopback
    except ValueError:
        return False


def same_address(one: str, other: str) -> bool:
    """Tell whether two texts mean one IP address."""
    try:
        return ip_address(one) == ip_address(other)
    except ValueError:
        return one == other


def carrier_of(cluster: Cluster, view: NodeView) -> tuple[str, str]:
    """Return address and interface by which a node works with others: of the compute network, else of management's.

    Without either it is the address of the document, and no interface.
    """
    by_purpose = {network.purpose: network for network in cluster.networks}
    for purpose in ("compute", "management"):
        network = by_purpose.get(purpose)
        held = next(held_in(network, view.facts), None) if network and view.facts else None
        if held is not None:
            return held[1], held[0]
    return view.member.address, ""
