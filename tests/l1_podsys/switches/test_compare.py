"""Who hangs elsewhere than written, when switches are called alike, otherwise, or are more than were written."""

import pytest

from l0_infra.core.nodeset import expand
from l1_podsys.schemas import Switch
from l1_podsys.switches import FoundSwitches, Misplaced, compare_switches


def found(**leaves: str) -> FoundSwitches:
    places = {node: leaf for leaf, nodes in leaves.items() for node in expand(nodes)}
    return FoundSwitches(source="lldp", places=places)


WRITTEN = (
    Switch(name="leaf1", nodes="n[1-4]"),
    Switch(name="leaf2", nodes="n[5-8]"),
    Switch(name="top", switches="leaf[1-2]"),
)


@pytest.mark.parametrize(
    ("seen", "moved"),
    [
        (found(leaf1="n[1-4]", leaf2="n[5-8]"), []),
        (found(tor7="n[1-4]", tor8="n[5-8]"), []),
        (found(LEAF1="n[1-2]"), []),
        (found(leaf1="n[1-3]", leaf2="n[4-8]"), [("n4", "leaf1", "leaf2")]),
        (found(tor7="n[1-3]", tor8="n[4-8]"), [("n4", "leaf1", "tor8")]),
        (
            found(leaf1="n[1-2]", leaf3="n[3-4]", leaf2="n[5-8]"),
            [("n3", "leaf1", "leaf3"), ("n4", "leaf1", "leaf3")],
        ),
        (found(leaf1="n[1-4],n9", leaf2="n[5-8]"), [("n9", "", "leaf1")]),
    ],
    ids=[
        "the same",
        "other names",
        "capital letters, and nodes not seen",
        "moved",
        "moved, other names",
        "one is two",
        "not written",
    ],
)
def test_nodes_decide(seen: FoundSwitches, moved: list[tuple[str, str, str]]) -> None:
    wanted = [Misplaced(node=node, written=written, found=leaf) for node, written, leaf in moved]
    assert list(compare_switches(WRITTEN, seen)) == wanted


def test_a_name_counts_for_more_than_a_majority() -> None:
    """All went to the other switch; the switches keep their names."""
    moved = compare_switches(WRITTEN[:2], found(leaf1="n5,n6,n7", leaf2="n1,n2,n3"))
    assert {(one.node, one.found) for one in moved} == {
        *((f"n{number}", "leaf1") for number in (5, 6, 7)),
        *((f"n{number}", "leaf2") for number in (1, 2, 3)),
    }
