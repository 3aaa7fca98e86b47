"""Switches as written beside switches as found: which nodes hang elsewhere. Names may differ, so nodes decide."""

from collections import Counter
from collections.abc import Mapping, Sequence

import msgspec

from l0_infra.core.nodeset import expand
from l1_podsys.schemas import Switch
from l1_podsys.switches.found import FoundSwitches

__all__ = ["Misplaced", "compare_switches"]


class Misplaced(msgspec.Struct, frozen=True, kw_only=True):
    """A node that was found on another leaf switch than the one it was written on; empty: on none."""

    node: str
    written: str
    found: str


def compare_switches(written: Sequence[Switch], found: FoundSwitches) -> tuple[Misplaced, ...]:
    """List nodes that hang elsewhere than written; of those whose place was not found nothing is said.

    A switch found is the one written that has its name, else the one with most of its nodes, which no other is then.
    """
    listed = {node: one.name for one in written for node in expand(one.nodes or "")}
    same = _matched(listed, found.places)
    return tuple(
        Misplaced(node=node, written=listed.get(node, ""), found=leaf)
        for node, leaf in found.places.items()
        if listed.get(node, "") != same.get(leaf)
    )


def _matched(written: Mapping[str, str], found: Mapping[str, str]) -> dict[str, str]:
    """Return the name written of each switch found."""
    called = {name.lower(): name for name in written.values()}
    same = {leaf: called[leaf.lower()] for leaf in dict.fromkeys(found.values()) if leaf.lower() in called}
    common = Counter((leaf, written[node]) for node, leaf in found.items() if node in written)
    for (leaf, name), _ in common.most_common():
        if leaf not in same and name not in same.values():
            same[leaf] = name
    return same
