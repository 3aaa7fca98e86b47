"""`npu-smi info -t topo`: how every two NPUs reach each other, and which CPUs are next to each."""

from collections.abc import Mapping

from l0_infra.facts.topology.matrix import parse_matrix
from l0_infra.schemas import Affinity, Pair, Topology, Unread

__all__ = ["parse_topology"]


def parse_topology(
    text: str, names: Mapping[tuple[str, int], str]
) -> tuple[Topology | None, tuple[Unread, ...]]:
    """Read the table and what of it is garbled; `names` are accelerators as it calls them: `("Phy-ID", 3)`."""
    columns = {f"{kind}{number}": name for (kind, number), name in names.items()}
    told = parse_matrix(text, "npu-smi info -t topo", {}, columns)
    ours = frozenset(names.values())
    pairs = tuple(
        Pair(first=first, second=second, path=way.path)
        for (first, second), way in told.ways.items()
        if first in ours and second in ours
    )
    affinities = tuple(
        Affinity(accelerator=name, cpus=place.cpus)
        for name, place in told.places.items()
        if name in ours and place.cpus
    )
    known = Topology(pairs=pairs, affinities=affinities) if pairs or affinities else None
    return known, told.unread
