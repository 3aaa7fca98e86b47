"""Clusters: whether their nodes are fit for work."""

from ogai.flows.cluster.check import Checked, check
from ogai.flows.cluster.fitness import raise_for_verdicts

__all__ = ["Checked", "check", "raise_for_verdicts"]
