"""The mesh: each node tries a few others, however many there are, and is tried by as many."""

from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st

from l1_podsys.gates.mesh import Edge, choose_peers, judge_mesh


@pytest.mark.parametrize("count", [2, 3, 10, 1000, 5000])
def test_nobody_tries_more_than_four_others_and_never_itself(count: int) -> None:
    nodes = [f"n{index}" for index in range(count)]
    chosen = choose_peers(nodes, "n0", 3)
    assert max(map(len, chosen.values())) <= 4
    assert all(node not in peers and len(set(peers)) == len(peers) for node, peers in chosen.items())
    assert all("n0" in peers for node, peers in chosen.items() if node != "n0")


def test_one_node_tries_nobody() -> None:
    assert choose_peers(["a"], "a", 1) == {"a": ()}


@given(count=st.integers(5, 60), seed=st.integers(0, 1000), shut=st.data())
def test_whoever_is_shut_is_the_only_one_to_blame(count: int, seed: int, shut: st.DataObject) -> None:
    nodes = [f"n{index}" for index in range(count)]
    target = shut.draw(st.sampled_from(nodes))
    edges = [
        Edge(source=node, target=peer, reached=peer != target)
        for node, peers in choose_peers(nodes, "n0", seed).items()
        for peer in peers
    ]
    bad = [one.node for one in judge_mesh(edges, nodes) if one.severity != "ok"]
    assert bad == [target]
    assert Counter(edge.target for edge in edges)[target] >= 3


@given(count=st.integers(5, 60), seed=st.integers(0, 1000), data=st.data())
def test_whoever_reaches_nobody_is_the_only_one_to_blame(count: int, seed: int, data: st.DataObject) -> None:
    nodes = [f"n{index}" for index in range(count)]
    cut = data.draw(st.sampled_from(nodes))
    edges = [
        Edge(source=node, target=peer, reached=node != cut)
        for node, peers in choose_peers(nodes, "n0", seed).items()
        for peer in peers
    ]
    assert [one.node for one in judge_mesh(edges, nodes) if one.severity != "ok"] == [cut]


def test_edges_to_nodes_that_do_not_answer_at_all_say_nothing() -> None:
    edges = [Edge(source="a", target="gone", reached=False), Edge(source="a", target="b", reached=True)]
    assert [one.severity for one in judge_mesh(edges, ["a", "b"])] == ["ok", "ok"]
