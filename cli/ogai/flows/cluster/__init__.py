"""Clusters: whether their nodes are fit for work, and which take none."""

from ogai.flows.cluster.check import Checked, Level, check, check_cluster
from ogai.flows.cluster.drains import drain, undrain
from ogai.flows.cluster.fitness import raise_for_verdicts

__all__ = ["Checked", "Level", "check", "check_cluster", "drain", "raise_for_verdicts", "undrain"]
