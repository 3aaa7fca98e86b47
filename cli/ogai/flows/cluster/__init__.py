"""Clusters: whether their nodes are fit for work."""

from ogai.flows.cluster.brought import Brought, NodeBrought, Trouble, raise_for_failed
from ogai.flows.cluster.check import Checked, check
from ogai.flows.cluster.fitness import raise_for_verdicts
from ogai.flows.cluster.prepare import Prepared
from ogai.flows.cluster.up import up

__all__ = [
    "Brought",
    "Checked",
    "NodeBrought",
    "Prepared",
    "Trouble",
    "check",
    "raise_for_failed",
    "raise_for_verdicts",
    "up",
]
