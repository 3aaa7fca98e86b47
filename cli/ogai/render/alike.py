"""What is the same on many nodes but for their addresses and names, so that it is told once for a node set."""

import re
from collections.abc import Iterable, Mapping
from ipaddress import ip_address

from ogai.flows.node import name_all

__all__ = ["alike", "fold_alike", "told_once"]

ADDRESS = re.compile(r"(?<![\w.:])[0-9a-fA-F.:]*[.:][0-9a-fA-F.:]*[0-9a-fA-F](?![\w])")
"""What may be an IP address."""


def alike(text: str, node: str) -> str:
    """Take from a text what makes it one node's own: its name, and addresses."""
    own = re.sub(rf"(?<![\w.-]){re.escape(node)}(?![\w-])", "NODE", text) if node else text
    return ADDRESS.sub(lambda match: "ADDRESS" if _is_address(match[0]) else match[0], own)


def told_once(texts: Iterable[str], node: str) -> str:
    """Write for many nodes what each said: as it was said where all say the same, else as `alike` leaves it."""
    said = list(dict.fromkeys(texts))
    return said[0] if len(said) == 1 else alike(said[0], node)


def fold_alike(said: Mapping[str, str]) -> Mapping[str, str]:
    """Return what nodes said, by the node sets that said the same."""
    groups: dict[str, dict[str, str]] = {}
    for node, text in said.items():
        groups.setdefault(alike(text, node), {})[node] = text
    return {name_all(one): told_once(one.values(), next(iter(one))) for one in groups.values()}


def _is_address(text: str) -> bool:
    try:
        ip_address(text)
    except ValueError:
        return False
    return True
