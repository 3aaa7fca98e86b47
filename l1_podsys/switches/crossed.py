"""Leaf switches that are the first rail of some nodes and a later one of others: cables that may be swapped."""

from collections.abc import Iterator, Mapping, Sequence

from l0_infra.core.nodeset import fold
from l1_podsys.switches.found import Conflict

__all__ = ["crossed_rails"]

HINT = "compare the cables of these nodes; if they are as wished, write `switches` by hand"


def crossed_rails(leaves: Mapping[str, Sequence[str]]) -> Iterator[Conflict]:
    """Yield each leaf switch that nodes disagree about; `leaves` are those of each node's rails, "" for none."""
    first: dict[str, list[str]] = {}
    later: dict[str, list[str]] = {}
    for node, rails in leaves.items():
        if rails and rails[0]:
            first.setdefault(rails[0], []).append(node)
            for leaf in dict.fromkeys(rails[1:]):
                if leaf and leaf != rails[0]:
                    later.setdefault(leaf, []).append(node)
    for leaf in first.keys() & later.keys():
        fewer, more = sorted((first[leaf], later[leaf]), key=len)
        yield Conflict(
            where=fold(fewer),
            found=f"{leaf} is the first rail of {fold(first[leaf])} and a later one of {fold(later[leaf])}",
            hint=HINT if len(fewer) < len(more) else HINT.replace("these nodes", "both"),
        )
