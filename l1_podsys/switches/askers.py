"""Whom to ask for the map of an InfiniBand fabric: nodes whose first rail is a port of it that is at work."""

from collections.abc import Iterator, Mapping, Sequence

from l0_infra.schemas import NodeFacts
from l1_podsys.switches.rails import Rail

__all__ = ["fabric_ports"]


def fabric_ports(
    facts: Mapping[str, NodeFacts], rails: Mapping[str, Sequence[Rail]]
) -> Iterator[tuple[str, str, int]]:
    """Yield (node, RDMA device, port) of each node that can be asked, in the order given."""
    for node, one in facts.items():
        active = {(port.device, port.port) for port in one.fabric or () if port.state == "active"}
        first = next(iter(rails.get(node, ())), None)
        if first is not None and (first.device, first.port) in active:
            yield node, first.device, first.port
