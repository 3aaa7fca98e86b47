"""The documents this layer owns: what a cluster should be, what it is, how well it is."""

from l1_podsys.schemas.cluster import Cluster, Gates, Scheduler, Ssh, Storage, Time, User
from l1_podsys.schemas.cluster_state import AcceleratorState, ClusterState, NodeState, SchedulerAccess
from l1_podsys.schemas.health import Health, Verdict
from l1_podsys.schemas.network import DhcpRange, Network
from l1_podsys.schemas.node_group import NodeGroup

__all__ = [
    "AcceleratorState",
    "Cluster",
    "ClusterState",
    "DhcpRange",
    "Gates",
    "Health",
    "Network",
    "NodeGroup",
    "NodeState",
    "Scheduler",
    "SchedulerAccess",
    "Ssh",
    "Storage",
    "Time",
    "User",
    "Verdict",
]
