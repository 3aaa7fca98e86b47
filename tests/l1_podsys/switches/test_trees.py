"""Trees of switches (tests/l1_podsys/switches/cases/trees): what nodes hear, or a fabric's map, and what it says."""

from pathlib import Path

import msgspec
import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st

from l0_infra.core.documents import read_document, render_document
from l0_infra.core.nodeset import expand
from l0_infra.schemas import FabricMap, FabricSwitch, HostPort
from l1_podsys.schemas import Cluster, NodeGroup, Scheduler, Switch
from l1_podsys.slurm import render_topology_conf
from l1_podsys.switches import FoundSwitches, Rail, compare_switches, find_switches, with_switches

CASES = sorted((Path(__file__).parent / "cases/trees").glob("*.yaml"))


class Said(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    where: str
    found: str
    fatal: bool = False


class Case(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    source: str
    rails: dict[str, tuple[Rail, ...]]
    switches: tuple[Switch, ...]
    fabric: FabricMap | None = None
    unplaced: dict[str, str] = {}
    conflicts: tuple[Said, ...] = ()
    notes: tuple[str, ...] = ()


def load(path: Path) -> Case:
    return msgspec.convert(yaml.safe_load(path.read_text()), Case)


def found_in(case: Case) -> FoundSwitches:
    found = find_switches(case.source, case.rails, case.fabric)
    assert found is not None
    return found


@pytest.mark.parametrize("path", CASES, ids=lambda path: path.stem)
def test_case(path: Path) -> None:
    case = load(path)
    found = found_in(case)
    assert found.switches == case.switches
    told = [Said(one.where, one.found, one.fatal) for one in found.conflicts]
    assert sorted(told, key=str) == sorted(case.conflicts, key=str)
    assert found.notes == case.notes
    assert all(one.hint for one in found.conflicts)
    if not any(one.fatal for one in case.conflicts):
        assert found.unplaced == case.unplaced
        assert found.places.keys() | found.unplaced.keys() == case.rails.keys()


@pytest.mark.parametrize("path", CASES, ids=lambda path: path.stem)
def test_what_is_found_can_be_written_into_a_document(path: Path, tmp_path: Path) -> None:
    found = found_in(load(path))
    names = tuple(dict.fromkeys((*found.places, *found.unplaced))) or ("n1",)
    scheduler = Scheduler(switches=found.switches)
    nodes = tuple(NodeGroup(names=name, roles=("head", "compute")) for name in names)
    file = tmp_path / "pod.yaml"
    file.write_text(render_document(Cluster(name="pod", nodes=nodes, scheduler=scheduler)))
    assert read_document(file, expect=Cluster).scheduler.switches == found.switches


@pytest.mark.parametrize("path", CASES, ids=lambda path: path.stem)
def test_nothing_hangs_elsewhere_when_what_was_found_is_what_was_written(path: Path) -> None:
    found = found_in(load(path))
    assert compare_switches(found.switches, found) == ()


def test_the_file_of_two_layers_names_every_node_once() -> None:
    text = render_topology_conf(found_in(load(CASES[0].with_name("fabric_two_layers.yaml"))).switches)
    assert [line for line in text.splitlines() if not line.startswith("#")] == [
        "SwitchName=leaf1 Nodes=n[1-2]",
        "SwitchName=leaf2 Nodes=n3",
        "SwitchName=ogai-unplaced Nodes=n[4-6]",
        "SwitchName=spine1 Switches=leaf[1-2]",
        "SwitchName=ogai-all Switches=ogai-unplaced,spine1",
    ]


@pytest.mark.parametrize("source", ["document", "ibnetdiscover"])
def test_nothing_is_found_where_the_document_says_it_or_no_map_is_there(source: str) -> None:
    assert find_switches(source, {"n1": (Rail(interface="eth0"),)}, None) is None


def test_what_is_found_takes_the_place_of_what_is_written_only_where_that_is_asked_for() -> None:
    found = found_in(load(CASES[0].with_name("lldp_two_rails.yaml")))
    nodes = (NodeGroup(names="n[1-2]", roles=("head", "compute")),)
    asked, written = (
        Cluster(name="pod", nodes=nodes, scheduler=scheduler)
        for scheduler in (
            Scheduler(switches_from="lldp"),
            Scheduler(switches=(Switch(name="a", nodes="n1"),)),
        )
    )
    assert with_switches(asked, found).scheduler.switches == found.switches
    assert with_switches(written, found) is written
    assert with_switches(asked, None) is asked


FABRICS = st.integers(1, 9).flatmap(
    lambda count: st.tuples(
        st.just(count),
        st.lists(st.tuples(st.integers(0, count - 1), st.integers(0, count - 1)), max_size=14),
        st.lists(st.integers(0, count - 1), min_size=1, max_size=6),
    )
)


@given(FABRICS)
def test_whatever_the_cables_what_is_found_is_a_tree_or_refused(
    drawn: tuple[int, list[tuple[int, int]], list[int]],
) -> None:
    """Every switch has one switch above it at most, every node one leaf, and nothing hangs below itself."""
    count, cables, places = drawn
    links: dict[int, set[int]] = {one: set() for one in range(count)}
    for one, other in cables:
        if one != other:
            links[one].add(other)
            links[other].add(one)
    fabric = FabricMap(
        switches=tuple(
            FabricSwitch(
                guid=f"s{one}",
                name=f"sw{one}",
                hosts=tuple(HostPort(guid=f"p{node}") for node, at in enumerate(places) if at == one),
                switches=tuple(f"s{other}" for other in sorted(links[one])),
            )
            for one in range(count)
        )
    )
    rails = {f"n{node}": (Rail(interface="ib0", device="d", guid=f"p{node}"),) for node in range(len(places))}
    found = find_switches("ibnetdiscover", rails, fabric)
    assert found is not None
    if any(one.fatal for one in found.conflicts):
        assert found.switches == ()
        return
    above: dict[str, str] = {}
    for switch in found.switches:
        for below in (*expand(switch.nodes or ""), *switch.switch_names()):
            assert below not in above, (below, above)
            above[below] = switch.name
    assert rails.keys() <= above.keys()
    assert len({switch.name for switch in found.switches}) == len(found.switches)
    for name in rails:
        seen: set[str] = set()
        while name in above:
            assert name not in seen
            seen.add(name)
            name = above[name]
