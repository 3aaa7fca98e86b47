"""Damaged outputs of `npu-smi`, `hccn_tool` and `amd-smi`: read without a crash and without a made-up number."""

import re
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from l0_infra.facts.accelerators import parse_accelerators
from l0_infra.facts.amd import SOURCES as AMD
from l0_infra.facts.ascend import SOURCES as ASCEND
from l0_infra.facts.bundle import ABSENT, Answer, parse_bundle
from l0_infra.facts.probe import SOURCES
from l0_infra.facts.vendor import Found
from l0_infra.schemas import Accelerator

CASES = Path(__file__).parents[2] / "cases/facts"
NODES = [
    parse_bundle(case.read_text())
    for case in sorted(CASES.glob("*.bundle"))
    if case.name[:3] in ("amd", "asc", "roc")
]
UNITS = (1, 2**10, 2**20, 2**30, 10**6)

WORDS = (
    "",
    "NA",
    "N/A",
    "-",
    "-1",
    "ERR!",
    "|",
    ":",
    "[",
    "]",
    "{",
    '"',
    ",",
    "\n",
    "\0",
    "9" * 40,
    "é",
    "健康",
)
WHOLE: Mapping[str, Callable[[str], str]] = {
    "carriage returns": lambda text: text.replace("\n", "\r\n"),
    "fused columns": lambda text: re.sub(r" {2,}", " ", text),
    "no blanks": lambda text: text.replace(" ", ""),
    "no line ends": lambda text: text.replace("\n", " "),
    "zeros": lambda text: text.replace("0", "\0"),
    "another language": lambda text: re.sub(r"[A-Za-z]{3,}", "状态", text),
    "twice": lambda text: text + text,
    "backwards": lambda text: "\n".join(reversed(text.split("\n"))),
    "upper case": str.upper,
}


@st.composite
def damaged(draw: st.DrawFn) -> Mapping[str, Answer]:
    answers: dict[str, Answer] = {source.name: ABSENT for source in SOURCES} | dict(
        draw(st.sampled_from(NODES))
    )
    told = sorted(name for name, answer in answers.items() if answer.out)
    for name in draw(st.lists(st.sampled_from(told), min_size=1, max_size=3)) if told else ():
        text = answers[name].out
        if draw(st.booleans()):
            text = WHOLE[draw(st.sampled_from(sorted(WHOLE)))](text)
        for _ in range(draw(st.integers(0, 3))):
            start = draw(st.integers(0, len(text)))
            end = min(len(text), start + draw(st.integers(0, 400)))
            text = text[:start] + draw(st.sampled_from(WORDS)) + text[end:]
        answers[name] = Answer(
            end="exit", code=0, out=text[: draw(st.integers(0, len(text)))] if draw(st.booleans()) else text
        )
    return answers


def numbers(one: Accelerator) -> Iterator[float | None]:
    yield from (one.memory_bytes, one.memory_used_bytes, one.utilization_percent, one.numa_node)
    for process in one.processes or ():
        yield from (process.pid, process.memory_bytes)
    for part in (one.condition, one.clocks):
        yield from (
            (value for value in msgspec.structs.astuple(part) if isinstance(value, float | int))
            if part
            else ()
        )


def printed(number: float, text: str) -> bool:
    """Whether a person finds it in the text, in one of the units that tools print."""
    return any(f"{number / unit:.6f}".rstrip("0").rstrip(".").lstrip("-") in text for unit in UNITS)


@given(damaged())
def test_damage_never_crashes_and_makes_up_no_number(answers: Mapping[str, Answer]) -> None:
    found = parse_accelerators(answers)
    text = "\n".join(answer.out for answer in answers.values())
    for part in (*found.accelerators, *found.fabric, *found.unread, *found.software):
        assert msgspec.convert(msgspec.to_builtins(part), type(part)) == part
    made_up = [
        number
        for one in found.accelerators
        for number in numbers(one)
        if number is not None and not printed(number, text)
    ]
    assert made_up == []
    assert len({one.id for one in found.accelerators}) == len(found.accelerators)
    counters = [counter.value for port in found.fabric for counter in port.counters or ()]
    assert all(str(value) in text for value in counters)


HUGE = 2**18


@pytest.mark.parametrize(
    "text",
    [
        "7" * HUGE,
        "|" * HUGE,
        "[" * HUGE,
        "[\n" * (HUGE // 2),
        '[{"gpu": 1},\n' * (HUGE // 13),
        "\0" * HUGE,
        "| 0 Ascend910 | OK | 1 2 |\n" * (HUGE // 27),
        "# npu-smi info -t hccs -i 0 -c 0\nhccs link speed : [" + "1 " * (HUGE // 2) + "]",
        "# hccn_tool -i 0 -stat -g\n" + "mac_" * (HUGE // 4),
        "NPU0 NPU1\nNPU0 " + "HCCS " * (HUGE // 5),
    ],
    ids=lambda text: repr(text[:20]),
)
def test_a_flood_in_every_file_at_once_is_read(text: str) -> None:
    answers = {source.name: ABSENT for source in SOURCES}
    flooded = {source.name: Answer(end="exit", code=0, out=text) for source in (*ASCEND, *AMD)}
    found: Found = parse_accelerators(answers | flooded)
    assert all(len(one.detail) <= 200 for one in found.unread)
    assert found.unread
