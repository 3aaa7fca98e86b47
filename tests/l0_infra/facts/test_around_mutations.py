"""Answers about the system and the board, torn in many ways: nothing crashes, no number is made up."""

import json
from collections.abc import Iterator
from pathlib import Path

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from l0_infra.facts import board, operating
from l0_infra.facts.bundle import Answer, parse_bundle
from l0_infra.schemas import NodeFacts
from tests.support.facts import facts_of, said

CASES = Path(__file__).parents[2] / "cases/facts"
NAMES = [source.name for source in (*operating.SOURCES, *board.SOURCES)]
WHOLE = [
    {
        name: answer
        for name, answer in parse_bundle((CASES / f"{case}.bundle").read_text()).items()
        if answer.out
    }
    for case in ("gpu_server_seen_as_root", "old_system_seen_by_a_user")
]
WORDS = (
    "",
    "ERR!",
    "[N/A]",
    "-1",
    "-",
    "Unknown",
    "|",
    ",",
    ":",
    "=",
    "\n",
    "\r\n",
    "\0",
    "é",
    "null",
    "{",
    '"',
)


@st.composite
def torn(draw: st.DrawFn, text: str) -> str:
    for _ in range(draw(st.integers(1, 4))):
        start = draw(st.integers(0, len(text)))
        end = min(len(text), start + draw(st.integers(0, 30)))
        text = text[:start] + draw(st.sampled_from(WORDS)) + text[end:]
    return text[: draw(st.integers(0, len(text)))] if draw(st.booleans()) else text


@st.composite
def nodes(draw: st.DrawFn) -> dict[str, Answer]:
    """All that a node said, one or two of its answers torn."""
    whole = draw(st.sampled_from(WHOLE))
    broken = draw(st.lists(st.sampled_from(sorted(whole)), min_size=1, max_size=2))
    return whole | {name: said(draw(torn(whole[name].out))) for name in broken}


def numbers(facts: NodeFacts) -> Iterator[float]:
    """Every number that stands in an answer as it is found, or in another unit."""
    parts: list[object] = [facts.kernel, *facts.resource_limits, *(facts.package_locks or ())]
    parts += [*(facts.memory_modules or ()), *(disk.health for disk in facts.disks)]
    for part in parts:
        told = msgspec.to_builtins(part) if part else {}
        for key, value in told.items():
            if isinstance(value, int | float) and not isinstance(value, bool) and key != "cgroup_version":
                yield value


def stands_in(number: float, text: str) -> bool:
    """Whether the text has the number in its own unit, in KiB to GiB, millions, hours or Kelvin."""
    shapes = {
        number,
        number + 273,
        number / 3600,
        number / 10**6,
        *(number / 2 ** (10 * n) for n in (1, 2, 3)),
    }
    return any(shape == int(shape) and str(int(shape)) in text for shape in shapes)


@given(nodes())
def test_torn_answers_never_crash_nor_make_up_a_number(given_answers: dict[str, Answer]) -> None:
    facts = facts_of(given_answers)
    assert msgspec.convert(msgspec.to_builtins(facts), NodeFacts) == facts
    text = "\n".join(answer.out for answer in given_answers.values())
    assert [number for number in numbers(facts) if not stands_in(number, text)] == []


@given(st.sampled_from(NAMES), st.text(alphabet=st.characters(codec="utf-8"), max_size=200))
def test_any_text_from_any_source_is_read_or_left(name: str, text: str) -> None:
    facts_of({name: text})


@pytest.mark.parametrize("case", WHOLE, ids=("new", "old"))
def test_windows_line_ends_change_nothing(case: dict[str, Answer]) -> None:
    torn_lines = {
        name: Answer(end=one.end, code=one.code, out=one.out.replace("\n", "\r\n"), err=one.err)
        for name, one in case.items()
    }
    assert facts_of(torn_lines) == facts_of(case)


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("piece", ["\n", "{}\n", "/libnccl.so.1", "[", '{"a":'])
def test_long_nonsense_is_read_in_linear_time(name: str, piece: str) -> None:
    """Quadratic time would be hours here."""
    facts = facts_of({name: piece * (200_000 // len(piece))})
    assert (facts.software, facts.memory_modules, facts.management) == ((), None, None)


def test_numbers_of_a_case_are_looked_at() -> None:
    """The law above looks at what it should."""
    found = set(numbers(facts_of(WHOLE[0])))
    assert {4194304, 12288, 8388608, 30211, 68719476736, 4400000000, 36, 104, 12, 9123 * 3600} <= found
    assert not stands_in(37, json.dumps({"temperature": 309}))
