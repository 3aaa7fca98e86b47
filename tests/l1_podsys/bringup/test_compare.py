"""Two documents of one cluster compared; and that who follows what is told has the other document."""

import pytest
import yaml

from l0_infra.core.documents import parse_document, render_brief
from l1_podsys import compare_members, describe_edits, with_address, with_nodes, without_nodes
from l1_podsys.schemas import Cluster, NodeGroup


def a_cluster() -> Cluster:
    return Cluster(
        name="pod",
        nodes=(
            NodeGroup(names="head", roles=("head",), addresses="10.0.1.1"),
            NodeGroup(names="n[01-04]", roles=("compute",), addresses="10.0.0.[1-4]", node_class="gpu"),
        ),
    )


def changes(before: Cluster, after: Cluster) -> list[tuple[str, str, str, str]]:
    found = compare_members(before, after)
    return [(change.name, change.kind, change.before, change.after) for change in found]


def test_who_came_went_and_moved() -> None:
    before = a_cluster()
    after = with_nodes(
        with_address(without_nodes(before, ["n02"]), "n03", "10.9.9.9"), ["x1"], addresses=["10.0.2.1"]
    )
    assert changes(before, after) == [
        ("n02", "removed", "10.0.0.2", ""),
        ("n03", "moved", "10.0.0.3", "10.9.9.9"),
        ("x1", "added", "", "10.0.2.1"),
    ]
    assert changes(before, before) == []
    assert [change[1] for change in changes(after, before)] == ["moved", "removed", "added"]


def test_each_change_is_told_as_what_to_write() -> None:
    before = a_cluster()
    assert describe_edits(before, without_nodes(before, ["n01", "n03"])) == (
        "take n[01,03] out of `names`, and 10.0.0.[1,3] out of its `addresses`",
    )
    assert describe_edits(before, with_address(before, "n02", "10.9.9.9")) == (
        "write 10.9.9.9 for 10.0.0.2 in the `addresses` of n02",
    )
    bare = Cluster(name="pod", nodes=(NodeGroup(names="a[1-2]", roles=("head", "compute")),))
    assert describe_edits(bare, without_nodes(bare, ["a2"])) == ("take a2 out of `names`",)


@pytest.mark.parametrize("like", ["n01", "head"])
def test_a_group_to_add_is_yaml_that_can_be_pasted(like: str) -> None:
    before = a_cluster()
    after = with_nodes(before, ["x1", "x2"], addresses=["10.0.2.1", "10.0.2.2"], like=like)
    (told,) = describe_edits(before, after)
    group = yaml.safe_load(told.removeprefix("add to `nodes`:"))
    document = yaml.safe_load(render_brief(before))
    document["nodes"] += group
    assert parse_document(yaml.safe_dump(document), source="pod.yaml", expect=Cluster) == after
