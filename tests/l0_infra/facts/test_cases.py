"""What the sources of whole nodes say (tests/cases/facts/*.bundle) and what it means (*.json beside it)."""

import json
from pathlib import Path

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from l0_infra.facts.bundle import ABSENT, parse_bundle
from l0_infra.facts.probe import SOURCES, parse_node
from l0_infra.schemas import NodeFacts

CASES = sorted((Path(__file__).parents[2] / "cases/facts").glob("*.bundle"))
BUNDLES = [case.read_text() for case in CASES]


def facts_of(bundle: str) -> NodeFacts:
    return parse_node({source.name: ABSENT for source in SOURCES} | dict(parse_bundle(bundle)), now=7.5)


def assert_holds(found: object, expected: object, path: str = "") -> None:
    """Every key that `expected` names has its value; lists have equal length."""
    if isinstance(expected, dict) and isinstance(found, dict):
        for key, value in expected.items():
            assert_holds(found[key], value, f"{path}.{key}")
    elif isinstance(expected, list) and isinstance(found, list):
        assert len(found) == len(expected), f"{path}: {found}"
        for index, (one, other) in enumerate(zip(found, expected, strict=True)):
            assert_holds(one, other, f"{path}[{index}]")
    else:
        assert found == expected, path


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.stem)
def test_case(case: Path) -> None:
    found = json.loads(msgspec.json.encode(facts_of(case.read_text())))
    assert_holds(found, json.loads(case.with_suffix(".json").read_text()))


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.stem)
def test_facts_survive_writing_and_reading(case: Path) -> None:
    facts = facts_of(case.read_text())
    assert msgspec.json.decode(msgspec.json.encode(facts), type=NodeFacts) == facts


def sizes_and_pids(facts: NodeFacts) -> list[int]:
    processes = [process for one in facts.accelerators for process in one.processes or ()]
    sizes = [size for one in facts.accelerators for size in (one.memory_bytes, one.memory_used_bytes)]
    sizes += [process.memory_bytes for process in processes]
    sizes += [
        facts.memory.total_bytes,
        facts.memory.available_bytes,
        *(one.memory_bytes for one in facts.numa),
    ]
    return [*(size for size in sizes if size is not None), *(process.pid for process in processes)]


def printed(number: int, text: str) -> bool:
    """Whether a person finds the number in the text, in bytes, KiB or MiB."""
    return any(number % unit == 0 and str(number // unit) in text for unit in (1, 2**10, 2**20))


@st.composite
def mutations(draw: st.DrawFn) -> str:
    text = draw(st.sampled_from(BUNDLES))
    for _ in range(draw(st.integers(1, 4))):
        start = draw(st.integers(0, len(text)))
        end = min(len(text), start + draw(st.integers(0, 30)))
        word = draw(
            st.sampled_from(["", "ERR!", "[N/A]", "-1", "-", "Unknown", "|", ",", ":", "\n", "\r", "\0", "é"])
        )
        text = text[:start] + draw(st.sampled_from([word, draw(st.text(max_size=6))])) + text[end:]
    return text


@given(mutations())
def test_mutated_output_never_crashes_nor_makes_up_a_number(text: str) -> None:
    facts = facts_of(text)
    assert msgspec.convert(msgspec.to_builtins(facts), NodeFacts) == facts
    assert [number for number in sizes_and_pids(facts) if not printed(number, text)] == []


@given(st.sampled_from(BUNDLES), st.data())
def test_a_bundle_cut_anywhere_keeps_what_came_whole(bundle: str, data: st.DataObject) -> None:
    cut = data.draw(st.integers(0, len(bundle)))
    whole, part = parse_bundle(bundle), parse_bundle(bundle[:cut])
    assert all(whole[name] == answer for name, answer in part.items())


def test_a_garbled_lsblk_is_told_and_the_kernel_s_own_files_stand_in() -> None:
    bundle = next(case for case in CASES if case.stem == "container_cgroup_v2_arm").read_text()
    before, rest = bundle.split("@ lsblk.json ")
    after = rest.partition("@ sys-block.txt")[2]
    garbled = f'{before}@ lsblk.json 0\n|{{"blockdevices": 3}}\n!\n@ sys-block.txt{after}'
    facts = facts_of(garbled)
    assert facts.disks == facts_of(bundle).disks != ()
    assert [fault.reason for fault in facts.unread if fault.what == "lsblk"] == ["garbled"]
