"""The ring crosses least: held against all orders of few devices."""

from itertools import combinations, pairwise, permutations

from hypothesis import given, settings
from hypothesis import strategies as st

from l0_infra.facts.topology import ring
from l0_infra.facts.topology.ring import order_ring
from l0_infra.facts.topology.told import Way
from l0_infra.facts.topology.words import distance
from l0_infra.schemas import PairPath

Ways = dict[tuple[str, str], Way]
WAYS = (
    *(Way(path="nvlink", links=links) for links in (2, 1)),
    *(Way(path=path) for path in ("pix", "pxb", "phb", "node", "sys")),
)


def steps(order: tuple[str, ...], ways: Ways) -> list[tuple[int, int]]:
    """List how far the steps of a ring reach, farthest first."""
    found = [ways.get(pair) or ways[pair[1], pair[0]] for pair in pairwise((*order, order[0]))]
    return sorted(((distance(way.path), -(way.links or 0)) for way in found), reverse=True)


def complete(names: list[str], draw: st.DataObject) -> Ways:
    return {pair: draw.draw(st.sampled_from(WAYS)) for pair in combinations(names, 2)}


@settings(deadline=None)
@given(st.integers(2, 6), st.data())
def test_no_other_ring_crosses_less(count: int, data: st.DataObject) -> None:
    names = [f"nvidia:{at}" for at in range(count)]
    ways = complete(names, data)
    order = order_ring(names, ways)
    assert sorted(order) == names and order[0] == names[0]
    assert steps(order, ways) == min(steps((names[0], *rest), ways) for rest in permutations(names[1:]))


@settings(deadline=None, max_examples=20)
@given(st.integers(14, 24), st.data())
def test_with_many_unlike_devices_it_is_a_ring_still(count: int, data: st.DataObject) -> None:
    names = [f"ascend:{at}" for at in range(count)]
    assert sorted(order_ring(names, complete(names, data))) == sorted(names)


def groups(*sizes: int, within: PairPath, across: PairPath) -> tuple[list[str], Ways]:
    """Devices dealt out to groups in turn, so that natural order crosses at each step."""
    names = [f"nvidia:{at}" for at in range(sum(sizes))]
    ways = {
        (one, other): Way(path=within if first % len(sizes) == second % len(sizes) else across)
        for (first, one), (second, other) in combinations(enumerate(names), 2)
    }
    return names, ways


def test_sixteen_in_two_groups_cross_twice() -> None:
    names, ways = groups(8, 8, within="hccs", across="sys")
    crossed = [step for step in steps(order_ring(names, ways), ways) if step[0]]
    assert len(crossed) == 2


def test_sixteen_in_pairs_are_searched_whole() -> None:
    names, ways = groups(*[2] * 8, within="pix", across="node")
    assert [step[0] for step in steps(order_ring(names, ways), ways)].count(distance("pix")) == 8


def test_all_alike_stay_in_order() -> None:
    names = [f"nvidia:{at}" for at in range(16)]
    assert order_ring(names, dict.fromkeys(combinations(names, 2), Way(path="nvlink", links=12))) == tuple(
        names
    )


def test_more_links_are_preferred() -> None:
    names = ["nvidia:0", "nvidia:1", "nvidia:2", "nvidia:3"]
    double = {
        ("nvidia:0", "nvidia:2"),
        ("nvidia:1", "nvidia:2"),
        ("nvidia:1", "nvidia:3"),
        ("nvidia:0", "nvidia:3"),
    }
    ways = {pair: Way(path="nvlink", links=2 if pair in double else 1) for pair in combinations(names, 2)}
    assert order_ring(names, ways) == ("nvidia:0", "nvidia:2", "nvidia:1", "nvidia:3")


def test_an_unknown_way_leaves_the_ring_unknown() -> None:
    names = ["nvidia:0", "nvidia:1", "nvidia:2"]
    assert order_ring(names, {("nvidia:0", "nvidia:1"): Way(path="pix")}) == ()
    assert order_ring(names[:1], {}) == order_ring([], {}) == ()


def test_the_bound_of_the_search_is_met_by_real_machines() -> None:
    """Eight pairs, each on a switch of its own, are 52,488 states."""
    assert ring.STATES_MOST >= 8 * 3**8
