"""The order in which a ring over the accelerators crosses least: no worse step than needed, and few of the bad ones.

On most machines the natural order, or the greedy one, is as short as any ring can be, and taken. Else all are
searched: devices that lie to all others alike are exchangeable, so that the search walks over kinds of devices and how
many of each are left. With more than STATES_MOST states the greedy order stays.
"""

from collections.abc import Mapping, Sequence
from functools import cache
from itertools import pairwise
from math import prod

from l0_infra.facts.topology.told import Way, way_between
from l0_infra.facts.topology.words import distance

__all__ = ["order_ring"]

STATES_MOST = 100_000
Costs = Mapping[tuple[int, int], int]
State = tuple[tuple[int, ...], int]
"""How many of each kind are left, and the kind the walk stands on."""


def order_ring(devices: Sequence[str], ways: Mapping[tuple[str, str], Way]) -> tuple[str, ...]:
    """Order the devices, from the first; () when a way is not known or there are fewer than two."""
    found = {
        (one, other): way_between(devices[one], devices[other], ways)
        for one in range(len(devices))
        for other in range(len(devices))
        if one != other
    }
    if len(devices) < 2 or not all(found.values()):
        return ()
    qualities = {pair: (distance(way.path), -(way.links or 0)) for pair, way in found.items() if way}
    levels = sorted(set(qualities.values()))
    costs = {pair: (len(devices) + 1) ** levels.index(quality) for pair, quality in qualities.items()}
    return tuple(devices[index] for index in _order(len(devices), costs))


def _order(count: int, costs: Costs) -> list[int]:
    natural, greedy = list(range(count)), _greedy(count, costs)
    least = _least(count, costs)
    for order in (natural, greedy):
        if sum(costs[step] for step in pairwise((*order, order[0]))) == least:
            return order
    kinds = _kinds(count, costs)
    states = len(kinds) * prod(len(kind) + 1 for kind in kinds)
    return _exact(kinds, costs) if states <= STATES_MOST else greedy


def _least(count: int, costs: Costs) -> int:
    """Return what no ring can be below: a shortest tree over all, and its longest step once more.

    A ring without its longest step is a tree; and it crosses twice between what the tree joins by its longest.
    """
    joined, steps = {0}, []
    while len(joined) < count:
        cost, device = min(
            (costs[one, other], other) for one in joined for other in range(count) if other not in joined
        )
        joined.add(device)
        steps.append(cost)
    return sum(steps) + max(steps)


def _kinds(count: int, costs: Costs) -> list[list[int]]:
    """Group the devices that can be exchanged."""
    kinds: list[list[int]] = []
    for device in range(count):
        for kind in kinds:
            twin = kind[0]
            others = (other for other in range(count) if other not in (device, twin))
            if all(costs[device, other] == costs[twin, other] for other in others):
                kind.append(device)
                break
        else:
            kinds.append([device])
    return kinds


def _exact(kinds: Sequence[Sequence[int]], costs: Costs) -> list[int]:
    """Find the cheapest ring from the first device; of equal ones that which takes earlier kinds first."""

    def step(one: int, other: int) -> int:
        first, second = kinds[one][0], kinds[other][0]
        return costs[first, second if first != second else kinds[other][1]]

    @cache
    def best(state: State) -> tuple[int, int]:
        left, at = state
        ways = [
            (step(at, kind) + best(_after(left, kind))[0], kind) for kind in range(len(kinds)) if left[kind]
        ]
        return min(ways) if ways else (_home(at, kinds, costs), at)

    state = _after(tuple(len(kind) for kind in kinds), 0)
    walk = [0]
    while any(state[0]):
        walk.append(best(state)[1])
        state = _after(state[0], walk[-1])
    queues = [iter(kind) for kind in kinds]
    return [next(queues[kind]) for kind in walk]


def _after(left: tuple[int, ...], kind: int) -> State:
    return tuple(count - (index == kind) for index, count in enumerate(left)), kind


def _home(at: int, kinds: Sequence[Sequence[int]], costs: Costs) -> int:
    """Return the cost of the last step, from the last device of a kind to the first device."""
    return costs[kinds[at][-1], 0] if kinds[at][-1] != 0 else 0


def _greedy(count: int, costs: Costs) -> list[int]:
    """Go to the nearest device that is left."""
    order = [0]
    while len(order) < count:
        left = [device for device in range(count) if device not in order]
        order.append(min(left, key=lambda device: (costs[order[-1], device], device)))
    return order
