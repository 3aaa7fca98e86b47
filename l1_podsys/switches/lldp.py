"""The leaf switches of nodes, by what their first rails hear. LLDP tells nothing of what joins the leaf switches."""

from collections.abc import Collection, Iterator, Mapping, Sequence

from l1_podsys.switches.crossed import crossed_rails
from l1_podsys.switches.found import Conflict, FoundSwitches, leaf_switches
from l1_podsys.switches.names import switch_names
from l1_podsys.switches.rails import Heard, Rail

__all__ = ["find_by_lldp"]

Place = tuple[str, str]
"""Name and id of a switch."""

PASSED_ON = "what lies between passes LLDP on: an unmanaged switch, or a bridge; write `switches` by hand"


def find_by_lldp(rails: Mapping[str, Sequence[Rail]]) -> FoundSwitches:
    """Hang each node on the switch that its first rail hears."""
    seen = {node: [_switches(rail, rails) for rail in own] for node, own in rails.items()}
    names = switch_names(
        {one: one for each in seen.values() for heard in each for one in heard},
        taken=rails,
    )
    leaves = {
        node: [names[heard[0]] if len(heard) == 1 else "" for heard in each] for node, each in seen.items()
    }
    places = {node: each[0] for node, each in leaves.items() if each and each[0]}
    unplaced = {node: _why(own) for node, own in rails.items() if node not in places}
    conflicts = (*_several(seen, rails, names), *_nodes_heard(seen, rails), *crossed_rails(leaves))
    return FoundSwitches(
        source="lldp",
        switches=leaf_switches(places, unplaced),
        places=places,
        unplaced=unplaced,
        conflicts=conflicts,
        notes=tuple(_notes(places, rails)),
    )


def _switches(rail: Rail, nodes: Collection[str]) -> tuple[Place, ...]:
    """List the switches that a port hears; what says that it forwards nothing is none, nor is a node."""
    heard = [one for one in rail.heard or () if one.forwards is not False and not _is_node(one, nodes)]
    return tuple(dict.fromkeys((one.name, one.id) for one in heard))


def _is_node(one: Heard, nodes: Collection[str]) -> bool:
    return one.name.partition(".")[0] in nodes or one.name in nodes


def _why(own: Sequence[Rail]) -> str:
    """Say why a node hangs on no switch that is known."""
    if not own:
        return "it has no port on the network that work is placed by"
    rail = own[0]
    if rail.infiniband:
        return f"{rail.interface} speaks InfiniBand, which has no LLDP: `switches_from: ibnetdiscover`"
    if rail.heard is None:
        return "nobody listens for LLDP there: lldpd is missing, or not at work"
    return f"{rail.interface} hears {'no one switch' if rail.heard else 'nobody'} by LLDP"


def _several(
    seen: Mapping[str, Sequence[Sequence[Place]]],
    rails: Mapping[str, Sequence[Rail]],
    names: Mapping[Place, str],
) -> Iterator[Conflict]:
    for node, each in seen.items():
        for rail, heard in zip(rails[node], each, strict=True):
            if len(heard) > 1:
                told = " and ".join(names[one] for one in heard)
                yield Conflict(where=node, found=f"{rail.interface} hears {told}", hint=PASSED_ON)


def _nodes_heard(
    seen: Mapping[str, Sequence[Sequence[Place]]], rails: Mapping[str, Sequence[Rail]]
) -> Iterator[Conflict]:
    """Yield nodes whose first rail hears no switch, but other nodes."""
    for node, each in seen.items():
        if each and not each[0]:
            rail = rails[node][0]
            others = [one.name for one in rail.heard or () if _is_node(one, rails)]
            if others:
                found = f"{rail.interface} hears no switch, but {', '.join(others[:3])}"
                yield Conflict(where=node, found=found, hint=PASSED_ON)


def _notes(places: Mapping[str, str], rails: Mapping[str, Sequence[Rail]]) -> Iterator[str]:
    several = [node for node in places if len(rails[node]) > 1]
    if several:
        yield f"of several rails the first counts: {rails[several[0]][0].interface} of {several[0]}"
    silent = [node for node in places if rails[node][0].remembered]
    if silent:
        yield f"{len(silent)} hear nobody now and stay where they were: {', '.join(silent[:3])}"
    if len(set(places.values())) > 1:
        yield "LLDP tells leaf switches only: one switch above all of them is made up"
