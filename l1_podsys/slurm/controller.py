"""What Slurm's configuration is written from, besides the cluster's document."""

from dataclasses import dataclass

from l1_podsys.schemas import Cluster
from l1_podsys.slurm.node_shape import NodeShape
from l1_podsys.slurm.versions import Version

__all__ = ["NOTE", "Controller", "SlurmMember", "is_confined"]

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


def is_confined(cluster: Cluster, controller: Controller) -> bool:
    """Whether control groups hold work to what it asked for."""
    wish = cluster.scheduler.confinement
    return wish == "cgroup" or (wish == "auto" and not controller.contained)
