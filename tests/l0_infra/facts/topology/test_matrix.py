"""The tables of `nvidia-smi topo -m` and `npu-smi info -t topo` in the shapes that versions print."""

import re

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from l0_infra.facts.topology.matrix import parse_matrix
from l0_infra.facts.topology.tail import Place, numbers, read_tails
from l0_infra.facts.topology.told import Told

ALL = ("CPU Affinity", "NUMA Affinity", "GPU NUMA ID")
TABLE = """\tGPU0\tGPU1\tNIC0\tCPU Affinity\tNUMA Affinity\tGPU NUMA ID
GPU0\t X \tNV4\tPXB\t0-11\t0\t\tN/A
GPU1\tNV4\t X \tNODE\t12-23\t1\t\tN/A
NIC0\tPXB\tNODE\t X \t\t\t\t

Legend:

  X    = Self
  NODE = Connection traversing PCIe

NIC Legend:

  NIC0: mlx5_bond_0
"""


def ways(told: Told) -> dict[tuple[str, str], tuple[str, int | None]]:
    return {pair: (way.path, way.links) for pair, way in told.ways.items()}


EXPECTED = {
    ("nvidia:0", "nvidia:1"): ("nvlink", 4),
    ("nvidia:0", "mlx5_bond_0"): ("pxb", None),
    ("nvidia:1", "mlx5_bond_0"): ("node", None),
}


@pytest.mark.parametrize(
    "text",
    [
        TABLE,
        TABLE.expandtabs(10),
        "some warning\n" + TABLE,
        TABLE.replace("\n", "\r\n"),
        re.sub(r"^(.*ID)$", "\x1b[4m\\1\x1b[0m", TABLE, flags=re.M),
        re.sub(r"^(.*ID)$", "[4m\\1[0m", TABLE, flags=re.M),
    ],
    ids=["tabs", "blanks", "behind a warning", "CRLF", "escapes", "escapes torn"],
)
def test_shapes_of_one_table(text: str) -> None:
    told = parse_matrix(text, "topo", {})
    assert ways(told) == EXPECTED
    assert told.places == {
        "nvidia:0": Place(cpus="0-11", numa_node=0),
        "nvidia:1": Place(cpus="12-23", numa_node=1),
    }
    assert told.unread == ()


def test_without_a_legend_a_nic_keeps_the_name_of_its_column() -> None:
    told = parse_matrix(TABLE.partition("Legend:")[0], "topo", {})
    assert ("nvidia:0", "NIC0") in told.ways


def test_of_two_nics_that_a_torn_legend_calls_alike_the_first_is() -> None:
    text = "GPU0 NIC0 NIC1\nGPU0 X PIX SYS\nNIC0 PIX X SYS\nNIC1 SYS SYS X\n\n  NIC0: mlx5_1\n  NIC1: mlx5_1"
    assert ways(parse_matrix(text, "topo", {})) == {
        ("nvidia:0", "mlx5_1"): ("pix", None),
        ("nvidia:0", "NIC1"): ("sys", None),
        ("mlx5_1", "NIC1"): ("sys", None),
    }


def test_one_gpu_alone() -> None:
    told = parse_matrix("\tGPU0\tCPU Affinity\tNUMA Affinity\nGPU0\t X \t0-7\tN/A\n", "topo", {})
    assert (told.ways, told.places, told.read) == ({}, {"nvidia:0": Place(cpus="0-7")}, True)


@pytest.mark.parametrize(
    ("row", "lost"),
    [
        ("GPU1\tNV4\t X \tSYS\t12-23\t1\t\tN/A", ("nvidia:1", "mlx5_bond_0")),
        ("GPU1\tNV4\t X \t?\t12-23\t1\t\tN/A", ("nvidia:1", "mlx5_bond_0")),
        ("GPU1\tNV40\t X \tNODE\t12-23\t1\t\tN/A", ("nvidia:0", "nvidia:1")),
    ],
    ids=["contradicts its mirror image", "is a question mark", "has a digit more"],
)
def test_a_cell_that_its_mirror_image_contradicts_is_unknown_and_told(
    row: str, lost: tuple[str, str]
) -> None:
    told = parse_matrix(re.sub("^GPU1.*$", row, TABLE, flags=re.M), "topo", {})
    assert ways(told) == {pair: way for pair, way in EXPECTED.items() if pair != lost}
    assert [fault.reason for fault in told.unread] == ["garbled"]


def test_a_row_that_lost_a_cell_is_left_out_and_told() -> None:
    told = parse_matrix(TABLE.replace("GPU1\tNV4\t", "GPU1\t"), "topo", {})
    assert ways(told) == EXPECTED and told.places.keys() == {"nvidia:0"}
    assert [fault.detail.split() for fault in told.unread] == [["GPU1", "X", "NODE", "12-23", "1", "N/A"]]


def test_unknown_words_are_no_paths() -> None:
    text = "NPU0 NPU1 CPU Affinity\nNPU0 X NA 0-23\nNPU1 NA X 24-47\n"
    told = parse_matrix(text, "topo", {}, {"NPU0": "ascend:0", "NPU1": "ascend:1"})
    assert (told.ways, told.unread) == ({}, ())
    assert told.places["ascend:1"] == Place(cpus="24-47")


def test_a_table_of_an_hundred_and_more_devices_is_none() -> None:
    names = " ".join(f"GPU{index}" for index in range(200))
    assert not parse_matrix(f"{names}\nGPU0 X", "topo", {}).read


FUSED = {
    "numa into the next": (["0-55,112-167 0N/A"], {}, [Place(cpus="0-55,112-167", numa_node=0)]),
    "decided by the machine": (
        ["56-111,168-2231\t\tN/A"],
        {0: range(56), 1: (*range(56, 112), *range(168, 224))},
        [Place(cpus="56-111,168-223", numa_node=1)],
    ),
    "decided by the other rows": (
        ["0-23,48-710", "24-47,72-951"],
        {},
        [Place(cpus="0-23,48-71", numa_node=0), Place(cpus="24-47,72-95", numa_node=1)],
    ),
    "decided by a row that is whole": (
        ["16-31 1 N/A", "32-472 N/A"],
        {},
        [Place(cpus="16-31", numa_node=1), Place(cpus="32-47", numa_node=2)],
    ),
    "a list": (
        ["6,14,22,303 N/A", "4,12,20,281 N/A"],
        {},
        [Place(cpus="6,14,22,30", numa_node=3), Place(cpus="4,12,20,28", numa_node=1)],
    ),
    "beside a row without a NUMA node": (
        ["0-15 N/A N/A", "16-312 N/A"],
        {},
        [Place(cpus="0-15"), Place()],
    ),
    "beside a row without CPUs": (["N/A 0 N/A", "16-312 N/A"], {}, [Place(numa_node=0), Place()]),
    "another device of a node that is known": (
        ["0-15 0 N/A", "0-150 N/A"],
        {},
        [Place(cpus="0-15", numa_node=0), Place(cpus="0-15", numa_node=0)],
    ),
    "among rows that tell nothing": (
        ["N/A N/A N/A", "0-23,48-710 N/A", "24-47,72-951 N/A"],
        {},
        [Place(), Place(cpus="0-23,48-71", numa_node=0), Place(cpus="24-47,72-95", numa_node=1)],
    ),
    "alone and undecided": (["0-70 N/A"], {}, [Place(cpus=None, numa_node=None)]),
    "all three in one word": (
        ["8-151N/A"],
        {0: range(8), 1: range(8, 16)},
        [Place(cpus="8-15", numa_node=1)],
    ),
    "not of this machine": (["8-151"], {0: range(4)}, [Place()]),
    "several nodes": (["0-15 0-1 N/A"], {}, [Place(cpus="0-15", numa_node=None)]),
    "nothing known": (["N/A N/A N/A"], {}, [Place()]),
    "backwards": (["15-8 1 N/A"], {}, [Place()]),
    "nonsense": (["what 1 N/A"], {}, [Place()]),
    "too many words": (["0-7 0 N/A N/A"], {}, [Place()]),
}


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("0-3,8", {0, 1, 2, 3, 8}),
        ("5", {5}),
        ("3-3", {3}),
        ("3-1", None),
        ("0-3,3", None),
        ("01", None),
        ("", None),
    ],
)
def test_lists_of_numbers(text: str, expected: set[int] | None) -> None:
    assert numbers(text) == expected


@pytest.mark.parametrize("name", FUSED)
def test_columns_that_run_into_one_another(name: str) -> None:
    tails, numa, expected = FUSED[name]
    sets = {node: frozenset(cpus) for node, cpus in numa.items()}
    assert [*read_tails([" ".join(tail.split()) for tail in tails], ALL, sets)] == expected


@st.composite
def machines(draw: st.DrawFn) -> tuple[dict[int, str], list[int]]:
    """NUMA nodes of equal size, with or without hyperthreads, and where some devices lie."""
    nodes, size = draw(st.integers(1, 8)), draw(st.integers(1, 130))
    threads = draw(st.booleans())
    lists = {}
    for node in range(nodes):
        spans = [(node * size, (node + 1) * size - 1)]
        spans += [(first + nodes * size, last + nodes * size) for first, last in spans] if threads else []
        lists[node] = ",".join(f"{first}-{last}" if first < last else str(first) for first, last in spans)
    return lists, draw(st.lists(st.integers(0, nodes - 1), min_size=1, max_size=8))


def cpus(text: str) -> frozenset[int]:
    spans = [span.partition("-") for span in text.split(",")]
    return frozenset(cpu for first, _, last in spans for cpu in range(int(first), int(last or first) + 1))


@settings(deadline=None)
@given(machines(), st.data())
def test_a_reading_is_right_or_unknown_never_wrong(
    machine: tuple[dict[int, str], list[int]], data: st.DataObject
) -> None:
    lists, places = machine
    gaps = st.sampled_from(["", " "])
    tails = [f"{lists[node]}{data.draw(gaps)}{node}{data.draw(gaps)}N/A" for node in places]
    numa = data.draw(st.sampled_from([{}, {node: cpus(text) for node, text in lists.items()}]))
    read = read_tails(tails, ALL, numa)
    for node, place in zip(places, read, strict=True):
        assert place.cpus in (None, lists[node])
        assert place.numa_node in (None, node)
        if numa:
            assert place == Place(cpus=lists[node], numa_node=node)
