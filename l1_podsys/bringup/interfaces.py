"""Which interfaces the document names, and which of those no node has; pure."""

from collections.abc import Iterator, Mapping

from l0_infra.schemas import NodeFacts
from l1_podsys.schemas import Cluster, Network

__all__ = ["absent_interfaces", "interface_names", "interfaces_of"]


def interface_names(network: Network) -> tuple[str, ...]:
    """List the interfaces and RDMA devices that carry a network."""
    return network.listed()


def interfaces_of(facts: NodeFacts) -> tuple[str, ...]:
    """List the interfaces and RDMA devices of a node; none where they were not read."""
    return (*(one.name for one in facts.interfaces), *(port.device for port in facts.fabric or ()))


def absent_interfaces(cluster: Cluster, facts: Mapping[str, NodeFacts]) -> Iterator[tuple[str, str]]:
    """Yield, as the place in the document and the name, each interface that none of these nodes has.

    Networks of management controllers are left out, for nodes do not see those.
    """
    there = {name for one in facts.values() for name in interfaces_of(one)}
    for index, network in enumerate(cluster.networks):
        for name in interface_names(network) if there and network.purpose != "bmc" else ():
            if name not in there:
                yield f"networks[{index}].interfaces", name
