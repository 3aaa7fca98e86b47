"""Clusters, whether they are fit for work, and which nodes take none: `from ogai.cluster import check, drain`."""

from l1_podsys.schemas import Cluster, ClusterState, DrainChange, Health, Verdict
from ogai.flows.cluster import Checked, check, check_cluster, drain, undrain

__all__ = [
    "Checked",
    "Cluster",
    "ClusterState",
    "DrainChange",
    "Health",
    "Verdict",
    "check",
    "check_cluster",
    "drain",
    "undrain",
]
