"""The documents this layer owns: what a cluster should be, what it is."""

from l1_podsys.schemas.cluster_state import AcceleratorState, ClusterState, NodeState, SchedulerAccess

__all__ = ["AcceleratorState", "ClusterState", "NodeState", "SchedulerAccess"]
