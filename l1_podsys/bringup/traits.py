"""The little that one node's bring-up needs to know of another, kept so that nobody is asked twice."""

from collections import Counter
from ipaddress import ip_address, ip_network

import msgspec

from l0_infra.core.errors import FactsMissingError
from l0_infra.schemas import Node, NodeFacts
from l1_podsys.schemas import Cluster
from l1_podsys.slurm import NodeShape, shape_of, slurm_version
from l1_podsys.switches import Rail, rails_of, remember

__all__ = ["Trait", "trait_of"]


class Trait(msgspec.Struct, frozen=True, kw_only=True):
    """What was found of a node: its address, what contains it, accelerators, rails, and what Slurm is told of it."""

    address: str = ""
    container: str = ""
    open_files: int | None = None
    """How many files anything on it can open, where that cannot be raised from within."""
    accelerators: dict[str, int] = msgspec.field(default_factory=dict)
    shape: NodeShape | None = None
    slurm: tuple[int, int] | None = None
    rails: tuple[Rail, ...] = ()

    def after(self, before: "Trait | None") -> "Trait":
        """Keep of what was found before that which a look can miss: switches that are silent for a while."""
        if before is None:
            return self
        return msgspec.structs.replace(self, rails=remember(self.rails, before.rails))


def trait_of(node: Node, facts: NodeFacts, cluster: Cluster) -> Trait:
    """Take from a node's facts what others need of it."""
    return Trait(
        address=_address(node, facts, cluster),
        container=facts.os.container or "",
        open_files=_open_files(facts),
        accelerators=dict(Counter(one.vendor for one in facts.accelerators)),
        shape=_shape(node, facts),
        slurm=slurm_version(facts.os, cluster.scheduler.version),
        rails=rails_of(node, facts, cluster),
    )


def _shape(node: Node, facts: NodeFacts) -> NodeShape | None:
    try:
        return shape_of(facts, node.node_class)
    except FactsMissingError:
        return None  # said where the node's own steps are planned; others do without it


def _open_files(facts: NodeFacts) -> int | None:
    limits = [one for one in facts.resource_limits if (one.name, one.scope) == ("nofile", "node")]
    return limits[0].hard if limits else None


def _address(node: Node, facts: NodeFacts, cluster: Cluster) -> str:
    """Return the address as listed, else the node's first in the management network, else its first."""
    if node.address is not None and _is_address(node.address):
        return node.address
    found = [
        text.partition("/")[0]
        for port in facts.interfaces
        for text in port.addresses or ()
        if _is_plain(text)
    ]
    ranges = [ip_network(one.cidr) for one in cluster.networks if one.purpose == "management" and one.cidr]
    inside = [text for text in found if any(ip_address(text) in one for one in ranges)]
    return next(iter((*inside, *found)), "")


def _is_address(text: str) -> bool:
    try:
        ip_address(text)
    except ValueError:
        return False
    return True


def _is_plain(text: str) -> bool:
    """Whether an address can be reached from other nodes: neither of this link nor of the node itself."""
    plain = text.partition("/")[0]
    return _is_address(plain) and not (ip_address(plain).is_link_local or ip_address(plain).is_loopback)
