"""The same GPUs in several forms make one list; each form alone makes what it can."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from l0_infra.facts.nvidia import QUICK, SOURCES
from l0_infra.facts.nvidia.merge import merge
from l0_infra.schemas import Accelerator
from tests.support.nvidia_answers import CSV, LINK_ERRORS, LINKS, LOG, TABLE, document, found

UUID = "GPU-91c{n}4b7e-0d52-4e18-8a63-5f20b7c9e1d{n}"
LIST = "nvidia-smi-L.txt"


def test_the_quick_form_is_no_more_than_two_queries_and_a_file() -> None:
    commands = [source.command for source in QUICK]
    assert all("--query-" in command or "/proc/" in command for command in commands)
    assert set(QUICK) < set(SOURCES) and len(commands) == 3


def test_the_document_counts_first_and_the_query_gives_the_number() -> None:
    within = f"<product_name>NVIDIA H800</product_name><uuid>{UUID.format(n=0)}</uuid><serial>16</serial>"
    row = f"3, NVIDIA H800 (other), {UUID.format(n=0)}, 81559, 7, 90, 00000000:01:00.0, 550.54\n"
    (one,) = found({LOG: document(within), CSV: row}).accelerators
    assert (one.id, one.index, one.model, one.serial) == ("nvidia:3", 3, "NVIDIA H800", "16")
    assert (one.memory_bytes, one.driver_version) == (81559 * 2**20, "565.57.01")


def test_two_spellings_of_an_address_are_one_gpu() -> None:
    first = "|   7  NVIDIA H800   On  | 0000:01:00.0 Off |    0 |\n"
    table = f"{first}| N/A   30C    P0    50W / 700W |   1MiB / 81559MiB |   0%   Default |\n"
    (one,) = found({LOG: document("<uuid>GPU-1</uuid>"), TABLE: table}).accelerators
    assert (one.id, one.uuid, one.pci, one.memory_bytes) == (
        "nvidia:7",
        "GPU-1",
        "0000:01:00.0",
        81559 * 2**20,
    )


@pytest.mark.parametrize(
    ("row", "expected"),
    [
        ("|    7   N/A  N/A     71      C   /opt/bin/python3 x       12MiB |", [(71, 12 * 2**20, "python3")]),
        ("|    7     71      C+G   Xorg       N/A |", [(71, None, "Xorg")]),
        ("|    7    3    0     71    M+C   python       12MiB |", [(71, 12 * 2**20, "python")]),
        ("|    6   N/A  N/A     71      C   python       12MiB |", []),
        ("|    7   N/A  N/A  99999999   C   python       12MiB |", None),
        ("|  No running processes found  |", []),
    ],
)
def test_processes_in_a_table(row: str, expected: list[tuple[int, int | None, str]] | None) -> None:
    first = "| 7 NVIDIA H800 On | 0000:01:00.0 Off | 0 |\n| N/A 30C P0 5W / 7W | 1MiB / 9MiB | 0% Default |\n"
    (one,) = found({TABLE: f"{first}| Processes:  |\n{row}\n"}).accelerators
    told = None if one.processes is None else [(own.pid, own.memory_bytes, own.name) for own in one.processes]
    assert told == expected
    assert found({TABLE: first}).accelerators[0].processes is None


def test_a_listing_alone_names_the_gpus() -> None:
    told = found(
        {LIST: "GPU 0: NVIDIA L4 (UUID: GPU-0a)\nGPU 1: NVIDIA RTX (TM) A6000 (UUID: GPU-1b)\n"}
    ).accelerators
    assert [(one.index, one.model, one.uuid) for one in told] == [
        (0, "NVIDIA L4", "GPU-0a"),
        (1, "NVIDIA RTX (TM) A6000", "GPU-1b"),
    ]
    assert [one.processes for one in told] == [None, None]


GPUS = st.builds(
    lambda index, uuid, pci, serial: Accelerator(
        id=f"nvidia:{index}", vendor="nvidia", index=index, uuid=uuid, pci=pci, serial=serial
    ),
    index=st.integers(0, 5),
    uuid=st.sampled_from([None, "GPU-a", "GPU-b", "GPU-c"]),
    pci=st.sampled_from([None, "0000:01:00.0", "0000:02:00.0"]),
    serial=st.sampled_from([None, "1", "2"]),
)


@given(st.lists(GPUS, max_size=5), st.lists(GPUS, max_size=5))
def test_merged_gpus_have_names_of_their_own_and_lose_nothing_known(
    one: list[Accelerator], other: list[Accelerator]
) -> None:
    merged = merge(tuple(one), tuple(other))
    assert len({gpu.id for gpu in merged}) == len(merged)
    assert [gpu.index for gpu in merged] == sorted(gpu.index for gpu in merged)
    assert {gpu.serial for gpu in merged} <= {gpu.serial for gpu in (*one, *other)}
    unique = {gpu.index: gpu for gpu in reversed(one)}
    assert merge(tuple(unique[index] for index in sorted(unique)), ()) == merge(tuple(one), ())


NAMED = f"GPU 0: NVIDIA H800 (UUID: {UUID.format(n=0)})\n"
STATUS = f"{NAMED}\t Link 0: 26.562 GB/s\n\t Link 1: <inactive>\n\t Link 2: ERR!\n"
EVENTS = [
    "Link recovery successful events: 9",
    "Link recovery failed events: 1",
    "Total link recovery events: 10",
]
COUNTERS = [
    (["Replay Errors: 4", "Recovery Errors: 2", "CRC Errors: 1"], 5, 2),
    (["Rx Errors: 3", "Tx discards: 1", *EVENTS], 4, 10),
    (["Effective BER: 15e-255", "FEC Errors - 0: 36140749276", "Raw Errors Lane 0: 82"], None, None),
    (["Symbol Errors: N/A"], None, None),
    ([], None, None),
]


@pytest.mark.parametrize(("lines", "errors", "recoveries"), COUNTERS)
def test_counters_of_a_link(lines: list[str], errors: int | None, recoveries: int | None) -> None:
    told = NAMED + "".join(f"\t Link 0: {line}\n" for line in lines)
    files = {LIST: NAMED, LINKS: STATUS, LINK_ERRORS: told}
    links = found(files).accelerators[0].links
    assert links is not None
    assert [link.active for link in links] == [True, False, None]
    assert (links[0].bandwidth_bytes_per_s, links[0].errors, links[0].recoveries) == (
        26.562e9,
        errors,
        recoveries,
    )


def test_links_of_another_gpu_or_of_none_are_not_this_one_s() -> None:
    listing = f"GPU 0: NVIDIA H800 (UUID: {UUID.format(n=1)})\n"
    assert found({LIST: listing, LINKS: STATUS}).accelerators[0].links is None
    assert found({LIST: listing}).accelerators[0].links is None
    without = "GPU 0: NVIDIA H800\n\t Link 0: 25 GB/s\n"
    assert len(found({LIST: listing, LINKS: without}).accelerators[0].links or ()) == 1
