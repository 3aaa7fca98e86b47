"""One node as the judges see it: what the document wants of it, and all that was found."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

from l0_infra.schemas import Inspection, NodeFacts
from l1_podsys.bringup import controller_name
from l1_podsys.gates.clock import Offset
from l1_podsys.gates.look import Look
from l1_podsys.schemas import Cluster

__all__ = ["Member", "NodeView", "controller_of", "members_of"]


@dataclass(frozen=True, kw_only=True, slots=True)
class Member:
    """A node of the document."""

    name: str
    address: str
    node_class: str
    roles: tuple[str, ...]


@dataclass(frozen=True, kw_only=True, slots=True)
class NodeView:
    """A node that answered, or `lost`: why it did not, and `mend`: what to try first."""

    member: Member
    facts: NodeFacts | None = None
    inspection: Inspection | None = None
    offset: Offset | None = None
    look: Look | None = None
    lost: str = ""
    mend: str = ""

    @property
    def name(self) -> str:
        """The node's name."""
        return self.member.name

    def inspected(self, inspection: Inspection | None) -> "NodeView":
        """Put what the rules say beside it."""
        return replace(self, inspection=inspection)


def members_of(cluster: Cluster, names: Sequence[str] | None = None) -> tuple[Member, ...]:
    """List the nodes of a document in its order, or those that are named."""
    wanted = None if names is None else set(names)
    return tuple(
        Member(
            name=node.name,
            address=node.address or node.name,
            node_class=node.node_class,
            roles=tuple(group.roles),
        )
        for group in cluster.nodes
        for node in group.listed()
        if wanted is None or node.name in wanted
    )


def controller_of(cluster: Cluster) -> Member:
    """Return the node that the scheduler's controller runs on: the one named, else the first head."""
    (controller,) = members_of(cluster, (controller_name(cluster),))
    return controller
