"""Which accelerators links of their own join: told by themselves, by amd-smi, by rocm-smi."""

import json
from typing import Literal

import pytest

from l0_infra.facts.topology.amd import parse_amd_topology, parse_rocm_topology
from l0_infra.facts.topology.derive import Node, derive_topology
from l0_infra.facts.topology.links import parse_links
from l0_infra.facts.topology.told import Way
from l0_infra.schemas import Accelerator, AcceleratorLink, PciDevice


def accelerator(index: int, *peers: str | None, kind: Literal["nvlink", "xgmi"] = "nvlink") -> Accelerator:
    links = tuple(
        AcceleratorLink(index=at, kind=kind, active=peer != "down", peer=peer)
        for at, peer in enumerate(peers)
    )
    return Accelerator(
        id=f"nvidia:{index}", vendor="nvidia", index=index, pci=f"0000:{index:02x}:00.0", links=links
    )


def test_links_that_lead_to_one_another_are_counted() -> None:
    told = parse_links(
        [
            accelerator(1, "00000000:02:00.0", "0000:02:00.0", "0000:03:00.0"),
            accelerator(2, "0000:01:00.0"),
            accelerator(3),
        ]
    )
    assert told.ways == {
        ("nvidia:1", "nvidia:2"): Way(path="nvlink", links=2),
        ("nvidia:1", "nvidia:3"): Way(path="nvlink", links=1),
    }
    assert told.over_pci == {("nvidia:2", "nvidia:3")}


def test_a_switch_joins_all_that_reach_it_with_the_links_of_the_lesser() -> None:
    switch = "0000:c1:00.0"
    told = parse_links([accelerator(1, *[switch] * 12), accelerator(2, *[switch] * 11, "down")])
    assert told.ways == {("nvidia:1", "nvidia:2"): Way(path="nvlink", links=11)}


@pytest.mark.parametrize(
    ("one", "other", "apart"),
    [
        (("down",), (None,), True),
        ((), ("0000:c1:00.0",), True),
        ((None,), (None,), False),
        (("0000:c1:00.0",), (None,), False),
    ],
    ids=["down on one side", "none on one side", "nobody says where to", "one does not say where to"],
)
def test_links_that_lead_nowhere_known_join_nothing(
    one: tuple[str | None, ...], other: tuple[str | None, ...], apart: bool
) -> None:
    told = parse_links([accelerator(1, *one), accelerator(2, *other)])
    assert (told.ways, bool(told.over_pci)) == ({}, apart)


def test_unknown_links_leave_the_way_between_two_unknown() -> None:
    on_bus = tuple(PciDevice(address=f"0000:0{at}:00.0", bridges=("0000:00:01.0",)) for at in (1, 2))
    pair = [
        Accelerator(id=f"nvidia:{at}", vendor="nvidia", index=at, pci=f"0000:0{at}:00.0") for at in (1, 2)
    ]
    node = Node(accelerators=tuple(pair), ports=(), devices=on_bus, numa=())
    assert derive_topology(node, [parse_links(pair)]).pairs == ()
    known = [accelerator(1), accelerator(2)]
    assert [one.path for one in derive_topology(node, [parse_links(known)]).pairs] == ["pix"]


def amd(one: int, *kinds: str) -> dict[str, object]:
    return {"gpu": one, "links": [{"gpu": other, "link_type": kind} for other, kind in enumerate(kinds)]}


NEW = [amd(0, "SELF", "XGMI", "PCIE"), amd(1, "XGMI", "SELF", "N/A"), amd(2, "PCIE", "UNKNOWN", "SELF")]
OLD = [
    {"gpu": 0, "link_type": {"gpu_0": "SELF", "gpu_1": "XGMI", "gpu_2": "PCIE"}, "hops": {"gpu_1": 1}},
    {"gpu": 1, "link_type": {"gpu_0": "XGMI", "gpu_2": "N/A"}},
]


@pytest.mark.parametrize("listing", [NEW, OLD, {"gpu_data": NEW}], ids=["links", "link types", "wrapped"])
def test_shapes_of_amd_smi(listing: object) -> None:
    told = parse_amd_topology("WARNING: not in the render group\n" + json.dumps(listing))
    joined = {frozenset(pair) for pair in told.ways}
    assert joined == {frozenset({"amd:0", "amd:1"})}
    assert {frozenset(pair) for pair in told.over_pci} == {frozenset({"amd:0", "amd:2"})}
    assert told.read


def test_rocm_smi() -> None:
    key = "(Topology) Link type between DRM devices {} and {}"
    told = parse_rocm_topology(
        json.dumps({"system": {key.format(0, 1): "XGMI", key.format(0, 2): "PCIE"}, "card0": {}})
    )
    assert (told.ways.keys(), told.over_pci) == ({("amd:0", "amd:1")}, {("amd:0", "amd:2")})


@pytest.mark.parametrize(
    "text",
    [
        "",
        "{}",
        "[]",
        "[3]",
        '[{"link_type": {"gpu_1": "XGMI"}}]',
        '[{"gpu": 0, "link_type": {"card": "XGMI"}}]',
        '[{"gpu": 0, "links": [{"link_type": "XGMI"}]}]',
        "nonsense",
        '{"system": 3}',
        '[{"gpu": true, "links": 3}]',
    ],
)
def test_what_is_no_listing_tells_nothing(text: str) -> None:
    assert parse_amd_topology(text).ways == parse_rocm_topology(text).ways == {}
    assert not parse_amd_topology(text).read


def test_groups_hang_together_through_others() -> None:
    chain = [accelerator(1, "0000:02:00.0"), accelerator(2, "0000:03:00.0"), accelerator(3), accelerator(4)]
    node = Node(accelerators=tuple(chain), ports=None, devices=(), numa=())
    topology = derive_topology(node, [parse_links(chain)])
    assert topology.groups == (("nvidia:1", "nvidia:2", "nvidia:3"),)
    assert topology.nearest == ()
