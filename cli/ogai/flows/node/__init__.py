"""Nodes: what they are made of, what is wrong with them, how two differ, what to send to who helps."""

from ogai.flows.node.bundles import Collected, Left, OnCollected, collect, default_name, facts_in
from ogai.flows.node.diff import Compared, diff
from ogai.flows.node.facts import facts
from ogai.flows.node.inspect import Inspected, inspect, inspect_bundle, raise_for_findings
from ogai.flows.node.lost import lost_of, name_all, raise_for_lost
from ogai.flows.node.survey import OnLooked
from ogai.flows.node.watching import watch

__all__ = [
    "Collected",
    "Compared",
    "Inspected",
    "Left",
    "OnCollected",
    "OnLooked",
    "collect",
    "default_name",
    "diff",
    "facts",
    "facts_in",
    "inspect",
    "inspect_bundle",
    "lost_of",
    "name_all",
    "raise_for_findings",
    "raise_for_lost",
    "watch",
]
