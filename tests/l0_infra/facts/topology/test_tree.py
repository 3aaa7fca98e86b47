"""Ways through the PCI tree, and that they are those `nvidia-smi topo -m` prints of the same machine."""

from itertools import combinations

import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from l0_infra.facts.topology.derive import Node, derive_topology
from l0_infra.facts.topology.matrix import parse_matrix
from l0_infra.facts.topology.told import Told
from l0_infra.facts.topology.tree import path_between
from l0_infra.schemas import Accelerator, FabricPort, PciDevice


def device(address: str, *bridges: str, numa: int | None = None) -> PciDevice:
    return PciDevice(address=address, bridges=bridges, numa_node=numa)


SWITCH = ("0000:20:01.0", "0000:21:00.0")
PAIRS = {
    "two functions of one card": (
        "pix",
        device("0000:05:00.0", "0000:00:02.0"),
        device("0000:05:00.1", "0000:00:02.0"),
    ),
    "one switch": (
        "pix",
        device("0000:23:00.0", *SWITCH, "0000:22:00.0"),
        device("0000:24:00.0", *SWITCH, "0000:22:04.0"),
    ),
    "a switch below the switch": (
        "pxb",
        device("0000:23:00.0", *SWITCH, "0000:22:00.0"),
        device("0000:27:00.0", *SWITCH, "0000:22:04.0", "0000:24:00.0", "0000:25:08.0"),
    ),
    "two root ports": (
        "phb",
        device("0000:23:00.0", *SWITCH, "0000:22:00.0", numa=0),
        device("0000:30:00.0", "0000:20:03.0", numa=0),
    ),
    "on the root bus": ("phb", device("0000:00:03.0"), device("0000:00:04.0")),
    "two host bridges": (
        "node",
        device("0000:23:00.0", *SWITCH, "0000:22:00.0", numa=1),
        device("0000:41:00.0", "0000:40:01.0", numa=1),
    ),
    "two domains": ("sys", device("0001:00:00.0", numa=0), device("0002:00:00.0", numa=1)),
    "two NUMA nodes": (
        "sys",
        device("0000:23:00.0", *SWITCH, "0000:22:00.0", numa=0),
        device("0000:a1:00.0", "0000:a0:01.0", numa=1),
    ),
    "no NUMA node told": (None, device("0001:00:00.0", numa=0), device("0002:00:00.0")),
    "place not read": (None, device("0001:00:00.0"), PciDevice(address="0001:00:01.0")),
}


@pytest.mark.parametrize("name", PAIRS)
def test_ways(name: str) -> None:
    expected, one, other = PAIRS[name]
    assert path_between(one, other, numa_nodes=2) == path_between(other, one, numa_nodes=2) == expected


def test_where_there_is_one_numa_node_nothing_lies_in_another() -> None:
    one, other = device("0001:00:00.0"), device("0002:00:00.0")
    assert path_between(one, other, numa_nodes=1) == "node"


@st.composite
def machines(draw: st.DrawFn) -> tuple[list[PciDevice], int]:
    """Some GPUs and NICs below host bridges, root ports, and switches that may stand below one another."""
    count, places = draw(st.integers(1, 4)), []
    buses: dict[str, int] = {}
    for at in range(draw(st.integers(2, 8))):
        host = draw(st.integers(0, 3))
        bridges = [f"0000:{0x20 * (host + 1):02x}:{draw(st.integers(1, 2)):02x}.0"]
        for _ in range(draw(st.integers(0, 2))):
            up = buses.setdefault(bridges[-1], 0x90 + 2 * len(buses))
            bridges += [f"0000:{up:02x}:00.0", f"0000:{up + 1:02x}:{draw(st.integers(0, 1)):02x}.0"]
        places.append(device(f"0000:f{at}:00.0", *bridges, numa=host % count))
    return places, draw(st.integers(1, len(places) - 1))


@settings(deadline=None)
@given(machines())
def test_the_tree_tells_what_the_table_of_the_same_machine_does(machine: tuple[list[PciDevice], int]) -> None:
    places, gpus = machine
    nics = len(places) - gpus
    node = Node(
        accelerators=tuple(
            Accelerator(id=f"nvidia:{at}", vendor="nvidia", index=at, pci=one.address, links=())
            for at, one in enumerate(places[:gpus])
        ),
        ports=tuple(
            FabricPort(device=f"mlx5_{at}", port=1, pci=places[gpus + at].address) for at in range(nics)
        ),
        devices=tuple(places),
        numa=(),
    )
    pairs = frozenset((f"nvidia:{one}", f"nvidia:{other}") for one, other in combinations(range(gpus), 2))
    by_tree = derive_topology(node, [Told(over_pci=pairs)])
    by_table = derive_topology(
        msgspec.structs.replace(node, devices=()), [parse_matrix(table(places, gpus), "topo", {})]
    )
    assert by_tree.pairs == by_table.pairs
    assert (by_tree.nearest, by_tree.ring) == (by_table.nearest, by_table.ring)


def table(places: list[PciDevice], gpus: int) -> str:
    """Print the table as `nvidia-smi` defines its words: by what the two ways to the host bridges share."""
    names = [f"GPU{at}" if at < gpus else f"NIC{at - gpus}" for at in range(len(places))]
    rows = ["\t".join(["", *names])]
    for one, name in zip(places, names, strict=True):
        rows.append("\t".join([name, *(" X " if one is other else word(one, other) for other in places)]))
    legend = [f"  {name}: mlx5_{at}" for at, name in enumerate(names[gpus:])]
    return "\n".join([*rows, "", "Legend:", "", "NIC Legend:", "", *legend])


def word(one: PciDevice, other: PciDevice) -> str:
    left, right = set(one.bridges or ()), set(other.bridges or ())
    if not (hosts := {bridge[:7] for bridge in left if bridge[5:7] in ROOTS}) & {
        bridge[:7] for bridge in right
    }:
        assert hosts
        return "NODE" if one.numa_node == other.numa_node else "SYS"
    if not left & right:
        return "PHB"
    return "PIX" if len(left - right) <= 1 and len(right - left) <= 1 else "PXB"


ROOTS = {f"{0x20 * (host + 1):02x}" for host in range(4)}
