"""The nodes of a cluster one by one, each with what it is for."""

from collections.abc import Mapping
from dataclasses import dataclass

from l0_infra.schemas import Node
from l1_podsys.schemas import Cluster

__all__ = ["Member", "cluster_members", "controller_name"]


@dataclass(frozen=True, kw_only=True, slots=True)
class Member:
    """One node; `places` are the words by which roles say where they belong: `all`, `controller`, `compute`, …"""

    node: Node
    places: frozenset[str]

    @property
    def name(self) -> str:
        """Its name."""
        return self.node.name

    @property
    def is_controller(self) -> bool:
        """Whether the scheduler runs on it."""
        return "controller" in self.places


def controller_name(cluster: Cluster) -> str:
    """Name the node that leads: the one wished, else the first head."""
    heads = (node.name for group in cluster.nodes if "head" in group.roles for node in group.listed())
    return cluster.scheduler.controller or next(heads)


def cluster_members(cluster: Cluster) -> Mapping[str, Member]:
    """List the members by their names, the controller first, the others in the order of the document."""
    controller = controller_name(cluster)
    members = {
        node.name: Member(
            node=node,
            places=frozenset(("all", *group.roles, *(("controller",) if node.name == controller else ()))),
        )
        for group in cluster.nodes
        for node in group.listed()
    }
    return {controller: members[controller], **members}
