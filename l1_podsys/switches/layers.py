"""Layers of switches above leaf switches, and what they join: a fat tree, seen from afar, is a tree.

A switch's layer is how many cables it is away from the nearest leaf switch. What cables between layers up to k join
belongs together at layer k, so that wider groups hold narrower ones whole, whatever number of switches joins them.
"""

from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass

__all__ = ["Joint", "find_knots", "join_layers", "layers_of"]

Links = Mapping[str, Collection[str]]
"""By switch, those that it is cabled to."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Joint:
    """What one layer joins: `tops` are groups, each named by one of its leaf switches, `by` the switches that join."""

    tops: tuple[str, ...]
    by: tuple[str, ...]


def layers_of(links: Links, leaves: Iterable[str]) -> dict[str, int]:
    """Number the layers, 0 being the leaf switches; what no cable leads to has none."""
    layer = dict.fromkeys(leaves, 0)
    edge = list(layer)
    while edge:
        here = edge.pop(0)
        for other in links.get(here, ()):
            if other not in layer:
                layer[other] = layer[here] + 1
                edge.append(other)
    return layer


def join_layers(links: Links, layer: Mapping[str, int], tops: Collection[str]) -> Iterator[Joint]:
    """Yield what each layer joins, the lowest first; a joint's group is named by the first of its tops from then on."""
    left = list(tops)
    for height in range(1, max(layer.values(), default=0) + 1):
        upright = {
            here: [other for other in others if layer[other] != layer[here] and layer[other] <= height]
            for here, others in links.items()
            if layer.get(here, height + 1) <= height
        }
        for group in _components(upright):
            own = tuple(top for top in left if top in group)
            if len(own) > 1:
                yield Joint(tops=own, by=tuple(one for one in group if layer[one] == height))
                left = [top for top in left if top not in own[1:]]


def find_knots(links: Links, layer: Mapping[str, int], tops: Collection[str]) -> Iterator[tuple[str, ...]]:
    """Yield switches of one layer that join three groups or more by cables among themselves: a ring, a mesh, a row.

    Two groups side by side, and groups around one switch, are a tree all the same; its top is that pair or switch.
    """
    whole = {here: others for here, others in links.items() if here in layer}
    for group in _components(whole):
        cables = [{here, other} for here in group for other in links[here] if layer[here] == layer[other]]
        hubs = set.intersection(*cables) if cables else set()
        if sum(top in group for top in tops) > 2 and not hubs:
            yield tuple(one for one in group if any(one in cable for cable in cables))


def _components(links: Links) -> Iterator[dict[str, None]]:
    """Yield groups of switches that are connected; in the order of the first of each."""
    seen: set[str] = set()
    for start in links:
        if start in seen:
            continue
        group = {start: None}
        edge = [start]
        while edge:
            for other in links.get(edge.pop(), ()):
                if other not in group:
                    group[other] = None
                    edge.append(other)
        seen.update(group)
        yield group
