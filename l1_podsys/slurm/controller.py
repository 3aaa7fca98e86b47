"""What Slurm's configuration is written from, besides the cluster's document."""

from dataclasses import dataclass

from l1_podsys.schemas import Cluster
from l1_podsys.slurm.node_shape import NodeShape
from l1_podsys.slurm.versions import Version, nodes_join, places_nodes_that_join

__all__ = ["NOTE", "Controller", "SlurmMember", "is_confined", "lists_nodes"]

NOTE = (
    "# Written by ogai; changes made here are lost. Wishes go into `scheduler` of the cluster's document.\n"
)


@dataclass(frozen=True, kw_only=True, slots=True)
class Controller:
    """Where the controller runs; `contained`: nodes are containers without control groups of their own."""

    name: str
    address: str
    version: Version | None = None
    contained: bool = False


@dataclass(frozen=True, kw_only=True, slots=True)
class SlurmMember:
    """A compute node whose facts are known."""

    name: str
    address: str
    shape: NodeShape


def lists_nodes(cluster: Cluster, version: Version | None) -> bool:
    """Whether slurm.conf must list the nodes, for this version cannot let them join, or not below switches."""
    return not nodes_join(version) or bool(cluster.scheduler.switches and not places_nodes_that_join(version))


def is_confined(cluster: Cluster, controller: Controller) -> bool:
    """Whether control groups hold work to what it asked for."""
    wish = cluster.scheduler.confinement
    return wish == "cgroup" or (wish == "auto" and not controller.contained)
