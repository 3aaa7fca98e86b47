"""Networks of a cluster, proposed from the interfaces and ports that all nodes looked at have alike."""

from collections.abc import Collection, Iterator, Mapping, Sequence
from ipaddress import IPv4Network, IPv6Network, ip_address, ip_interface

from l0_infra.core.nodeset import fold, natural_key
from l0_infra.schemas import NodeFacts
from l1_podsys.schemas import Network

__all__ = ["propose_networks"]

IpNetwork = IPv4Network | IPv6Network


def propose_networks(facts: Sequence[NodeFacts], addresses: Collection[str] = ()) -> tuple[Network, ...]:
    """Name the network of the nodes' addresses, and the ports that are for computing.

    Only what every node has is proposed: a network that one node lacks is nobody's.
    """
    common = _common(facts)
    management = _management(common, facts, addresses)
    networks = [] if management is None else [management]
    if ports := _compute_ports(facts):
        networks.append(Network(purpose="compute", interfaces=(ports,)))
    return tuple(networks)


def _common(facts: Sequence[NodeFacts]) -> Mapping[IpNetwork, str]:
    """Map the networks that all nodes are in to their interface; empty where its name differs."""
    found = [dict(_networks(one)) for one in facts]
    shared = set.intersection(*map(set, found)) if found else set()
    return {
        network: names.pop() if len(names := {one[network] for one in found}) == 1 else ""
        for network in sorted(shared, key=str)
    }


def _networks(facts: NodeFacts) -> Iterator[tuple[IpNetwork, str]]:
    for port in facts.interfaces:
        for text in port.addresses or ():
            interface = ip_interface(text)
            if not (interface.is_link_local or interface.is_loopback) and interface.network.num_addresses > 1:
                yield interface.network, port.name


def _management(
    common: Mapping[IpNetwork, str], facts: Sequence[NodeFacts], addresses: Collection[str]
) -> Network | None:
    """Choose the network that holds the addresses nodes are reached by, else the only one they share."""
    known = [ip_address(text) for text in addresses if _is_address(text)]
    holding = [network for network in common if known and all(one in network for one in known)]
    chosen = holding or (list(common) if len(common) == 1 else [])
    if not chosen:
        return None
    name = common[chosen[0]]
    return Network(purpose="management", cidr=str(chosen[0]), interfaces=(name,) if name else ())


def _is_address(text: str) -> bool:
    try:
        ip_address(text)
    except ValueError:
        return False
    return True


def _compute_ports(facts: Sequence[NodeFacts]) -> str:
    """Name the RDMA devices that are for computing on every node that has accelerators, where they are the same."""
    wanted = [one for one in facts if one.accelerators] or list(facts)
    sets = {
        tuple(
            sorted({port.device for port in one.fabric or () if port.purpose == "compute"}, key=natural_key)
        )
        for one in wanted
    }
    return fold(sets.pop()) if len(sets) == 1 and any(sets) else ""
