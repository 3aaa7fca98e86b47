"""Clocks are compared as far as the way there and back leaves it sure."""

from hypothesis import given
from hypothesis import strategies as st

from l0_infra.core.exec import Answer, ScriptedRunner
from l1_podsys.gates.clock import Offset, judge_offsets, probe_offset


def severities(offsets: dict[str, Offset | None]) -> list[str]:
    return [one.severity for one in judge_offsets(offsets, "head")]


@given(
    skew=st.floats(-100, 100),
    there=st.lists(st.floats(0, 0.5), min_size=3, max_size=3),
    back=st.lists(st.floats(0, 0.5), min_size=3, max_size=3),
)
def test_the_truth_lies_within_the_error_however_long_the_way(
    skew: float, there: list[float], back: list[float]
) -> None:
    now, turn = [1000.0], [0]

    def answer(_: object) -> Answer:
        now[0] += there[turn[0]]
        told = f"{now[0] + skew:.9f}\n"
        now[0] += back[turn[0]]
        turn[0] += 1
        return Answer(stdout=told)

    runner = ScriptedRunner("n1").answer(("date", "+%s.%N"), answer)
    offset = probe_offset(runner, lambda: now[0])
    assert offset is not None
    assert abs(offset.seconds - skew) <= offset.error_s + 1e-6
    assert offset.error_s <= min(a + b for a, b in zip(there, back, strict=True)) / 2 + 1e-6


def test_a_node_without_a_clock_tells_none() -> None:
    runner = ScriptedRunner("n1").answer(("date", "+%s.%N"), Answer(stdout="1796090400.N\n"))
    assert probe_offset(runner, lambda: 0.0) is None


def near(seconds: float, error_s: float = 0.01) -> Offset:
    return Offset(seconds=seconds, error_s=error_s)


def test_our_own_clock_may_be_wrong() -> None:
    assert severities({"head": near(400.0), "a": near(400.01), "b": near(399.99)}) == ["ok", "ok", "ok"]


def test_the_middle_clock_counts_so_that_a_wrong_head_is_named() -> None:
    assert severities({"head": near(9.0), "a": near(0.0), "b": near(0.01)}) == ["critical", "ok", "ok"]


def test_of_two_the_head_is_right() -> None:
    assert severities({"head": near(9.0), "a": near(0.0)}) == ["ok", "critical"]


def test_what_the_way_may_have_taken_is_no_difference() -> None:
    assert severities({"head": near(0.0), "a": near(0.0), "b": near(1.4, 0.9)}) == ["ok", "ok", "warning"]
    assert severities({"head": near(0.0), "a": near(0.0), "b": near(0.9, 0.9)}) == ["ok", "ok", "ok"]


def test_no_clock_at_all_is_not_known() -> None:
    assert severities({"head": None, "a": None}) == ["unknown", "unknown"]
