"""Nodes: what they are made of, what is wrong with them, how two differ, what to send to who helps."""

from ogai.flows.node.bundles import Collected, Left, OnCollected, collect, default_name, facts_in
from ogai.flows.node.facts import facts
from ogai.flows.node.survey import OnLooked

__all__ = ["Collected", "Left", "OnCollected", "OnLooked", "collect", "default_name", "facts", "facts_in"]
