"""The documents this layer owns: what a cluster should be, what it is, how well it is."""

from l1_podsys.schemas.access import Ssh, User
from l1_podsys.schemas.cluster import Cluster
from l1_podsys.schemas.cluster_state import AcceleratorState, ClusterState, NodeState, SchedulerAccess
from l1_podsys.schemas.health import DrainChange, Health, Verdict
from l1_podsys.schemas.machine import Machine
from l1_podsys.schemas.network import DhcpRange, Network
from l1_podsys.schemas.node_group import NodeGroup
from l1_podsys.schemas.scheduler import NodePartition, Scheduler, Switch
from l1_podsys.schemas.settings import Gates, Monitoring, Runtime
from l1_podsys.schemas.storage import Storage

__all__ = [
    "AcceleratorState",
    "Cluster",
    "ClusterState",
    "DhcpRange",
    "DrainChange",
    "Gates",
    "Health",
    "Machine",
    "Monitoring",
    "Network",
    "NodeGroup",
    "NodePartition",
    "NodeState",
    "Runtime",
    "Scheduler",
    "SchedulerAccess",
    "Ssh",
    "Storage",
    "Switch",
    "User",
    "Verdict",
]
