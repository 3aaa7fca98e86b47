"""What ports, PCI and topology sources say (tests/cases/interconnect/*.bundle) and what it means (*.json beside it)."""

import json
import re
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from l0_infra.facts.bundle import ABSENT, NOT_ASKED, Answer, Answers, parse_bundle
from l0_infra.facts.interconnect import SOURCES, Interconnect, parse_interconnect
from l0_infra.facts.vendor import Found
from l0_infra.schemas import Accelerator, FabricPort, NetworkInterface, NumaNode
from tests.l0_infra.facts.test_cases import assert_holds

CASES = sorted((Path(__file__).parents[2] / "cases/interconnect").glob("*.bundle"))
UNASKED = {source.name: NOT_ASKED for source in SOURCES} | {"proc-mounts.txt": NOT_ASKED}


class Given(msgspec.Struct):
    """What other parsers found on the node of a case."""

    accelerators: tuple[Accelerator, ...] = ()
    fabric: tuple[FabricPort, ...] = ()
    interfaces: tuple[NetworkInterface, ...] = ()
    numa: tuple[NumaNode, ...] = ()


def answers_of(case: Path) -> Answers:
    absent = dict.fromkeys(UNASKED, ABSENT)
    return absent | dict(parse_bundle(case.read_text()))


def given_of(case: Path) -> Given:
    return msgspec.convert(json.loads(case.with_suffix(".json").read_text())["given"], Given)


def found(answers: Answers, given: Given) -> Interconnect:
    told = Found(accelerators=given.accelerators, fabric=given.fabric)
    return parse_interconnect(answers, told, given.interfaces, given.numa)


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.stem)
def test_case(case: Path) -> None:
    result = json.loads(msgspec.json.encode(found(answers_of(case), given_of(case))))
    assert_holds(result, json.loads(case.with_suffix(".json").read_text())["expected"])


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.stem)
def test_line_ends_of_windows_mean_the_same(case: Path) -> None:
    answers = answers_of(case)
    windows = {
        name: replace(answer, out=answer.out.replace("\n", "\r\n")) for name, answer in answers.items()
    }
    assert found(windows, given_of(case)) == found(answers, given_of(case))


def test_nobody_asked_says_nothing_of_the_node() -> None:
    assert found(UNASKED, Given()) == Interconnect(pci=None, fabric=None, topology=None, unread=())


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.stem)
@pytest.mark.parametrize("missing", [source.name for source in SOURCES])
def test_any_file_may_be_missing(case: Path, missing: str) -> None:
    whole = found(answers_of(case), given_of(case))
    part = found(dict(answers_of(case)) | {missing: NOT_ASKED}, given_of(case))
    names = {port.device for port in whole.fabric or ()}
    assert {port.device for port in part.fabric or ()} <= names


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("amd-smi-topology.json", '[{"gpu": 0, "links": [{"gpu": 1, "link_type": "XGMI"}]}]'),
        ("topo-m.txt", "GPU0 GPU1\nGPU0 X NV2\nGPU1 NV2 X\n"),
    ],
)
def test_one_file_alone_is_enough_for_pairs(name: str, text: str) -> None:
    alone = found(dict(UNASKED) | {name: Answer(end="exit", code=0, out=text)}, Given())
    assert len(ways_of(alone)) == 1 and alone.unread == ()


def test_gpus_that_only_a_table_names_count() -> None:
    port = "/sys/class/infiniband/mlx5_0/ports/1"
    files = f"{port}/state:4: ACTIVE\n{port}/phys_state:5: LinkUp\n{port}/link_layer:InfiniBand\n"
    texts = {
        "topo-m.txt": "GPU0 NIC0\nGPU0 X PIX\nNIC0 PIX X\n\nNIC0: mlx5_0\n",
        "sys-class-infiniband.txt": files,
    }
    told = {name: Answer(end="exit", code=0, out=text) for name, text in texts.items()}
    result = found(dict(UNASKED) | told, Given())
    assert [one.purpose for one in result.fabric or ()] == ["compute"]
    assert result.topology and [one.value for one in result.topology.advice] == ["=mlx5_0:1"]


@pytest.mark.parametrize("name", ["topo-m.txt", "amd-smi-topology.json", "ibstat.txt"])
def test_what_was_not_understood_is_told(name: str) -> None:
    told = found(dict(UNASKED) | {name: Answer(end="exit", code=0, out="Segmentation fault")}, Given())
    assert [(fault.reason, fault.detail) for fault in told.unread] == [("garbled", "Segmentation fault")]


def numbers_in(value: object) -> Iterator[int]:
    """Yield the counts that are printed as they are; the rates and ids are derived from what is printed."""
    if isinstance(value, dict):
        printed = ("value", "mtu_bytes", "index", "links", "traffic_class", "width", "width_max")
        yield from (one for key in printed if isinstance(one := value.get(key), int))
        value = list(value.values())
    if isinstance(value, list):
        for one in value:
            yield from numbers_in(one)


@st.composite
def mutations(draw: st.DrawFn) -> tuple[Path, str]:
    case = draw(st.sampled_from(CASES))
    text = case.read_text()
    for _ in range(draw(st.integers(1, 4))):
        start = draw(st.integers(0, len(text)))
        end = min(len(text), start + draw(st.integers(0, 30)))
        word = draw(
            st.sampled_from(["", "???", "N/A", "-1", "0x", "1", ":", "\n|", "\r", "\0", "\t", "é", "X"])
        )
        text = text[:start] + draw(st.sampled_from([word, draw(st.text(max_size=6))])) + text[end:]
    return case, text


@settings(deadline=None)
@given(mutations())
def test_mutated_output_never_crashes_nor_makes_up_a_number(mutated: tuple[Path, str]) -> None:
    case, text = mutated
    result = found(dict(UNASKED) | dict(parse_bundle(text)), given_of(case))
    told = msgspec.to_builtins(result)
    assert msgspec.convert(told, Interconnect) == result
    assert [number for number in numbers_in(told) if not re.search(rf"{number}(?![0-9])", text)] == []


@settings(deadline=None)
@given(st.sampled_from(CASES), st.sampled_from([source.name for source in SOURCES]), st.data())
def test_a_file_cut_anywhere_tells_no_other_way_between_two(
    case: Path, name: str, data: st.DataObject
) -> None:
    answers = dict(answers_of(case))
    whole = answers[name]
    cut = data.draw(st.integers(0, len(whole.out)))
    cut_off = answers | {name: Answer(end="exit", code=0, out=whole.out[:cut])}
    told, all_told = (ways_of(found(one, given_of(case))) for one in (cut_off, answers))
    assert {pair: path for pair, path in told.items() if all_told.get(pair) not in (None, path)} == {}


def ways_of(interconnect: Interconnect) -> dict[tuple[str, str], str]:
    pairs = interconnect.topology.pairs if interconnect.topology else ()
    return {(pair.first, pair.second): pair.path for pair in pairs}


@pytest.mark.parametrize(
    "text", ["\0" * 9999, "[" * 99999, "{" * 99999, "\x1b[4m" * 9999, "GPU0 X 1-" * 9999, "(" * 9999]
)
@pytest.mark.parametrize("name", sorted(UNASKED))
def test_nonsense_is_no_fact(name: str, text: str) -> None:
    result = found(dict(UNASKED) | {name: Answer(end="exit", code=0, out=text)}, Given())
    assert not result.pci and not result.fabric
    assert result.topology is None or not result.topology.pairs
