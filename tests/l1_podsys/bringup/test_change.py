"""A document with nodes added, taken away or moved still says of every other node what it said."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from l0_infra.core.errors import UsageError
from l1_podsys import with_address, with_nodes, without_nodes
from l1_podsys.schemas import Cluster, NodeGroup, Storage


def a_cluster(names: str = "n[01-12]", addresses: str | None = "10.0.0.[1-12]") -> Cluster:
    return Cluster(
        name="pod",
        nodes=(
            NodeGroup(names="head", roles=("head",), addresses="10.0.1.1"),
            NodeGroup(names=names, roles=("compute",), addresses=addresses, node_class="gpu"),
        ),
        storage=(Storage(mountpoint="/s", server_node="n01", source="/x"),),
    )


def listed(cluster: Cluster) -> dict[str, str | None]:
    return {node.name: node.address for group in cluster.nodes for node in group.listed()}


@given(st.sets(st.sampled_from([f"n{index:02}" for index in range(2, 13)]), min_size=1))
def test_the_others_keep_their_addresses(gone: set[str]) -> None:
    left = listed(without_nodes(a_cluster(), gone))
    assert left == {name: address for name, address in listed(a_cluster()).items() if name not in gone}


@given(st.permutations(range(1, 13)))
def test_addresses_in_any_order_stay_with_their_names(order: list[int]) -> None:
    cluster = a_cluster(addresses=",".join(f"10.0.0.{number}" for number in order))
    before = listed(cluster)
    assert listed(without_nodes(cluster, ["n07"])) == {k: v for k, v in before.items() if k != "n07"}
    assert listed(with_address(cluster, "n03", "10.9.9.9")) == {**before, "n03": "10.9.9.9"}


def test_a_group_without_addresses_gets_one_only_where_a_node_has_moved() -> None:
    moved = with_address(a_cluster(addresses=None), "n03", "10.9.9.9")
    assert listed(moved)["n03"] == "10.9.9.9" and listed(moved)["n04"] == "n04"


@pytest.mark.parametrize(
    ("name", "why"), [("head", "the controller"), ("n01", "the server of shared storage")]
)
def test_what_the_others_need_stays(name: str, why: str) -> None:
    with pytest.raises(UsageError, match=why):
        without_nodes(a_cluster(), [name])


def test_new_nodes_are_like_another_but_lead_nobody() -> None:
    grown = with_nodes(a_cluster(), ["x1", "x2"], addresses=["10.0.2.1", "10.0.2.2"])
    assert (grown.nodes[-1].node_class, grown.nodes[-1].roles) == ("gpu", ("compute",))
    assert listed(grown)["x2"] == "10.0.2.2"
    assert with_nodes(a_cluster(), ["x1"], like="head").nodes[-1].roles == ("compute",)


def test_what_cannot_be_added_is_refused() -> None:
    for names, more in ((["n01"], {}), (["x1"], {"addresses": ["a", "b"]}), (["x1"], {"like": "none"})):
        with pytest.raises(UsageError):
            with_nodes(a_cluster(), names, **more)  # type: ignore[arg-type]
