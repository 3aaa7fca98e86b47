"""The tree of an InfiniBand fabric, from the map that one node tells and the GUIDs of the nodes' ports."""

from collections.abc import Iterator, Mapping, Sequence

from l0_infra.core.nodeset import fold, natural_key
from l0_infra.schemas import FabricMap
from l1_podsys.schemas import Switch
from l1_podsys.switches.crossed import crossed_rails
from l1_podsys.switches.found import Conflict, FoundSwitches, leaf_switches
from l1_podsys.switches.layers import Joint, find_knots, join_layers, layers_of
from l1_podsys.switches.names import switch_names
from l1_podsys.switches.rails import Rail

__all__ = ["find_by_fabric"]

BY_HAND = "write `switches` by hand, and leave `switches_from` out"
MOST = 4


def find_by_fabric(rails: Mapping[str, Sequence[Rail]], fabric: FabricMap) -> FoundSwitches:
    """Hang each node on the switch of its first rail, and the leaf switches on what joins them, layer by layer."""
    on = {port.guid: switch.guid for switch in fabric.switches for port in switch.hosts}
    told = {one.guid: (one.name, one.guid) for one in fabric.switches}
    names = switch_names(told, taken=rails)
    links = {one.guid: one.switches for one in fabric.switches}
    if missing := [other for one in fabric.switches for other in one.switches if other not in told]:
        return _refused(_cut_off(missing))
    cabled = {node: [on.get(rail.guid, "") for rail in own] for node, own in rails.items()}
    leaves = dict.fromkeys(guid for own in cabled.values() for guid in own if guid)
    chosen = list(dict.fromkeys(own[0] for own in cabled.values() if own and own[0]))
    layer = layers_of(links, leaves)
    joints = list(join_layers(links, layer, chosen))
    joined = {top for joint in joints for top in joint.tops[1:]}
    if knot := next(find_knots(links, layer, [top for top in chosen if top not in joined]), None):
        return _refused(_tangled(knot, names))
    places = {node: names[own[0]] for node, own in cabled.items() if own and own[0]}
    unplaced = {node: _why(own) for node, own in rails.items() if node not in places}
    return FoundSwitches(
        source="ibnetdiscover",
        switches=(*leaf_switches(places, unplaced), *_upper(joints, names)),
        places=places,
        unplaced=unplaced,
        conflicts=tuple(crossed_rails({node: _named(own, names) for node, own in cabled.items()})),
        notes=tuple(_notes(joints, names, places, rails)),
    )


def _named(guids: Sequence[str], names: Mapping[str, str]) -> list[str]:
    return [names.get(guid, "") for guid in guids]


def _upper(joints: Sequence[Joint], names: Mapping[str, str]) -> Iterator[Switch]:
    """Yield a switch for each joint, named by the first of those that join."""
    head = dict(names)
    for joint in joints:
        below = [head[top] for top in joint.tops]
        head[joint.tops[0]] = _first(joint, names)
        yield Switch(name=head[joint.tops[0]], switches=fold(below))


def _first(joint: Joint, names: Mapping[str, str]) -> str:
    return min((names[one] for one in joint.by), key=natural_key)


def _why(own: Sequence[Rail]) -> str:
    """Say why a node hangs on no switch that is known."""
    if not own:
        return "it has no port on the network that work is placed by"
    rail = own[0]
    if not rail.infiniband:
        return f"{rail.interface} is no InfiniBand port"
    if not rail.guid:
        return f"the GUID of {rail.interface} could not be read"
    return f"{rail.interface} is on no switch of the fabric: its link is down, or it is another fabric"


def _refused(conflict: Conflict) -> FoundSwitches:
    return FoundSwitches(source="ibnetdiscover", conflicts=(conflict,))


def _cut_off(missing: Sequence[str]) -> Conflict:
    guids = list(dict.fromkeys(missing))
    return Conflict(
        where=fold(guids[:MOST]),
        found=f"{len(guids)} switches that others are cabled to and that ibnetdiscover does not list",
        hint="run `ibnetdiscover` by hand: a switch may not answer the subnet manager, or a partition may hide it",
        fatal=True,
    )


def _tangled(knot: Sequence[str], names: Mapping[str, str]) -> Conflict:
    return Conflict(
        where=fold(names[one] for one in knot),
        found="switches of one layer that are cabled to each other: a row, a ring or a mesh, which is no tree",
        hint=BY_HAND,
        fatal=True,
    )


def _notes(
    joints: Sequence[Joint],
    names: Mapping[str, str],
    places: Mapping[str, str],
    rails: Mapping[str, Sequence[Rail]],
) -> Iterator[str]:
    several = [node for node in places if len(rails[node]) > 1]
    if several:
        yield f"of several rails the first counts: {rails[several[0]][0].interface} of {several[0]}"
    for joint in joints:
        if len(joint.by) > 1:
            yield f"{_first(joint, names)} stands for {fold(names[one] for one in joint.by)}"
