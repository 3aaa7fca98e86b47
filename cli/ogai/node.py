"""Nodes, what they are made of and what is wrong with them: `from ogai.node import facts, inspect`."""

from l0_infra.schemas import Finding, Inspection, NodeFacts
from ogai.flows.node import (
    Collected,
    Compared,
    Inspected,
    collect,
    diff,
    facts,
    facts_in,
    inspect,
    inspect_bundle,
    watch,
)

__all__ = [
    "Collected",
    "Compared",
    "Finding",
    "Inspected",
    "Inspection",
    "NodeFacts",
    "collect",
    "diff",
    "facts",
    "facts_in",
    "inspect",
    "inspect_bundle",
    "watch",
]
