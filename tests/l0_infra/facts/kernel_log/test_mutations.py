"""Logs that are cut, broken or of another language never crash, make up no number, and lose no line that is whole."""

from pathlib import Path

import msgspec
import yaml
from hypothesis import given
from hypothesis import strategies as st

from l0_infra.facts.kernel_log import count_flaps, find_events, parse_log
from l0_infra.schemas import KernelEvent
from tests.support.kernel_logs import NOW, answers

CASES = Path(__file__).parents[3] / "cases/kernel_log/known.yaml"
KNOWN = [case["text"] for case in yaml.safe_load(CASES.read_text())]
HEADS = (
    "",
    "[  812.440113] ",
    "[Mon Mar  3 09:12:45 2025] ",
    "[Mo Mär  3 09:12:45 2025] ",
    "<4>[  812.440113][ T77] ",
    "kern  :err   : [  812.440113] ",
    "Mar  3 09:12:45 node kernel: ",
    "2025-03-03T09:12:45.123456+00:00 node kernel: [  812.440113] ",
    "2025-03-03T09:12:45,123456+00:00 ",
    "4,2817,812440113,-;",
    "1740993165.123456 node kernel: ",
)
BOOTS = (
    "",
    "btime 1740992353\n812.50 20.0\n+0000\n",
    "btime 99999999999\n9999999999.99 1.0\n+9999\n",
    "btime -1\nx\n",
)
NOISE = st.sampled_from(
    [
        "",
        "\0",
        "\r",
        "\n",
        "\x1b[31m",
        "[",
        "]",
        "(",
        ":",
        "é",
        "{",
        '"',
        "99999999999999999999",
        "\\x0a",
        "-",
        " ",
    ]
)


@st.composite
def logs(draw: st.DrawFn) -> str:
    lines = draw(st.lists(st.tuples(st.sampled_from(HEADS), st.sampled_from(KNOWN)), max_size=6))
    log = "\n".join(head + text for head, text in lines)
    for _ in range(draw(st.integers(0, 4))):
        start = draw(st.integers(0, len(log)))
        end = min(len(log), start + draw(st.integers(0, 12)))
        log = log[:start] + draw(NOISE | st.text("a1 ä漢\u2028\x85", max_size=4)) + log[end:]
    return log


@given(logs(), st.sampled_from(BOOTS))
def test_a_broken_log_neither_crashes_nor_makes_up_a_number(text: str, boot: str) -> None:
    log = parse_log(answers(text, boot), NOW)
    found = find_events(log) or ()
    assert msgspec.convert(msgspec.to_builtins(found), tuple[KernelEvent, ...]) == found
    assert sum(event.count for event in found) <= text.count("\n") + 1
    assert [event.code for event in found if event.code is not None and str(event.code) not in text] == []
    assert all(flaps.count <= text.count("\n") for flaps in (count_flaps(log) or {}).values())


@given(
    st.lists(st.tuples(st.sampled_from(HEADS), st.sampled_from(KNOWN)), min_size=1, max_size=5),
    st.binary(max_size=40),
)
def test_a_whole_line_is_found_beside_anything_else(lines: list[tuple[str, str]], noise: bytes) -> None:
    own = "\n".join(head + text.replace("\n", f"\n{head}") for head, text in lines)
    broken = noise.decode("utf-8", "replace")
    alone, beside = (
        [(event.name, event.device, event.code, event.count) for event in find_events(log) or ()]
        for log in (parse_log(answers(text), NOW) for text in (own, f"{broken}\n{own}\n\n\n\n\n{broken}"))
    )
    assert len(alone) > 0
    assert set(alone) <= set(beside)
