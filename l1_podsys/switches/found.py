"""A tree of switches as it was found, with all that it does not say: who is not in it, and what contradicts it."""

from collections.abc import Mapping
from typing import Literal

import msgspec

from l0_infra.core.nodeset import fold
from l1_podsys.schemas import Switch

__all__ = ["UNPLACED", "Conflict", "FoundSwitches", "leaf_switches"]

UNPLACED = "ogai-unplaced"
"""A switch, made up, for nodes whose own is not known: on no switch at all, Slurm gives them no work on two nodes."""


class Conflict(msgspec.Struct, frozen=True, kw_only=True):
    """What cannot be so in a tree, or not for what is believed of it; `where` names nodes or switches."""

    where: str
    found: str
    hint: str
    fatal: bool = False
    """Whether no tree can be made at all."""


class FoundSwitches(msgspec.Struct, frozen=True, kw_only=True):
    """The tree: leaf switches first. `places` has the leaf switch of each node, `unplaced` why a node has none."""

    source: Literal["lldp", "ibnetdiscover"]
    switches: tuple[Switch, ...] = ()
    places: dict[str, str] = {}
    unplaced: dict[str, str] = {}
    conflicts: tuple[Conflict, ...] = ()
    notes: tuple[str, ...] = ()


def leaf_switches(places: Mapping[str, str], unplaced: Mapping[str, str]) -> tuple[Switch, ...]:
    """Give each leaf switch its nodes, and those without one a switch of their own; none where no node has one."""
    below: dict[str, list[str]] = {}
    for node, leaf in places.items():
        below.setdefault(leaf, []).append(node)
    if below and unplaced:
        below[UNPLACED] = list(unplaced)
    return tuple(Switch(name=leaf, nodes=fold(nodes)) for leaf, nodes in below.items())
