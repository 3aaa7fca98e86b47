"""Which ports of a node tell its place (tests/l1_podsys/switches/cases/rails.yaml), and what is kept of them."""

from pathlib import Path

import msgspec
import pytest
import yaml

from l0_infra.schemas import FabricPort, Neighbor, NetworkInterface, Node, NodeFacts
from l1_podsys import Trait, fabric_ports
from l1_podsys.schemas import Cluster, Network, NodeGroup
from l1_podsys.switches import Heard, Rail, rails_of, remember


class Case(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    about: str
    rails: tuple[Rail, ...]
    networks: tuple[Network, ...] = ()
    interfaces: tuple[NetworkInterface, ...] = ()
    fabric: tuple[FabricPort, ...] | None = None
    neighbors: tuple[Neighbor, ...] | None = None


CASES = msgspec.convert(
    yaml.safe_load((Path(__file__).parent / "cases/rails.yaml").read_text()), tuple[Case, ...]
)


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.about)
def test_case(case: Case) -> None:
    facts = NodeFacts(probed_at=1.0, interfaces=case.interfaces, fabric=case.fabric, neighbors=case.neighbors)
    cluster = Cluster(
        name="pod", nodes=(NodeGroup(names="n1", roles=("head", "compute")),), networks=case.networks
    )
    assert rails_of(Node(name="n1", address="10.1.0.7"), facts, cluster) == case.rails


LEAF = (Heard(name="leaf1", id="a"),)


@pytest.mark.parametrize(
    ("now", "kept"),
    [
        (Rail(interface="eth0", heard=()), Rail(interface="eth0", heard=LEAF, remembered=True)),
        (Rail(interface="eth0"), Rail(interface="eth0", heard=LEAF, remembered=True)),
        (Rail(interface="eth1", heard=()), Rail(interface="eth1", heard=())),
        (Rail(interface="eth0", heard=(Heard(name="leaf2"),)),) * 2,
    ],
    ids=["silent", "nobody listens any more", "another port", "moved"],
)
def test_a_silent_switch_is_remembered_and_another_one_is_not_taken_for_it(now: Rail, kept: Rail) -> None:
    assert remember((now,), (Rail(interface="eth0", heard=LEAF),)) == (kept,)
    assert Trait(rails=(now,)).after(Trait(rails=(Rail(interface="eth0", heard=LEAF),))).rails == (kept,)
    assert Trait(rails=(now,)).after(None).rails == (now,)


def test_the_map_is_asked_of_nodes_whose_first_rail_is_at_work() -> None:
    def port(device: str, state: str) -> FabricPort:
        return FabricPort(device=device, port=1, link_layer="infiniband", state=state)

    def rail(device: str) -> Rail:
        return Rail(interface=device, device=device, port=1)

    facts = {
        "down": NodeFacts(probed_at=1.0, fabric=(port("mlx5_0", "down"), port("mlx5_1", "active"))),
        "none": NodeFacts(probed_at=1.0),
        "up": NodeFacts(probed_at=1.0, fabric=(port("mlx5_4", "active"), port("mlx5_0", "active"))),
    }
    rails = {"down": (rail("mlx5_0"), rail("mlx5_1")), "none": (), "up": (rail("mlx5_4"),)}
    assert list(fabric_ports(facts, rails)) == [("up", "mlx5_4", 1)]
