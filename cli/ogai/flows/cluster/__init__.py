"""Clusters: brought up, changed at work, compared, checked, taken down; which nodes take no work."""

from ogai.flows.cluster.brought import Brought, NodeBrought, Trouble, raise_for_failed
from ogai.flows.cluster.check import Checked, Level, check, check_cluster
from ogai.flows.cluster.diff import Deviation, Deviations, diff, raise_for_unseen
from ogai.flows.cluster.down import down
from ogai.flows.cluster.drains import drain, undrain
from ogai.flows.cluster.fitness import raise_for_verdicts
from ogai.flows.cluster.gate import gate
from ogai.flows.cluster.init import Described, Wished, describe, offered, parse_storage
from ogai.flows.cluster.kept import KeptCluster, list_clusters, use
from ogai.flows.cluster.lists import ExportedInventory, ImportedCluster, export_inventory, import_list
from ogai.flows.cluster.members import add, remove
from ogai.flows.cluster.prepare import Prepared
from ogai.flows.cluster.refused import raise_for_lost
from ogai.flows.cluster.replace import replace
from ogai.flows.cluster.report import ClusterReport, gather_report, report_path
from ogai.flows.cluster.status import NodeStatus, Status, status
from ogai.flows.cluster.up import up
from ogai.flows.cluster.upgrade import upgrade

__all__ = [
    "Brought",
    "Checked",
    "ClusterReport",
    "Described",
    "Deviation",
    "Deviations",
    "ExportedInventory",
    "ImportedCluster",
    "KeptCluster",
    "Level",
    "NodeBrought",
    "NodeStatus",
    "Prepared",
    "Status",
    "Trouble",
    "Wished",
    "add",
    "check",
    "check_cluster",
    "describe",
    "diff",
    "down",
    "drain",
    "export_inventory",
    "gate",
    "gather_report",
    "import_list",
    "list_clusters",
    "offered",
    "parse_storage",
    "raise_for_failed",
    "raise_for_lost",
    "raise_for_unseen",
    "raise_for_verdicts",
    "remove",
    "replace",
    "report_path",
    "status",
    "undrain",
    "up",
    "upgrade",
    "use",
]
