"""A wall clock that is set while the run goes on is told once, with sign; a slewed one is not."""

import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from l3_modeltools.resilience.clock import ClockWatch, Jump, read_clocks

EPOCH = 1_790_000_000.0


@pytest.mark.parametrize("jump_s", [3600.0, 1.5, -1.5, -86_400.0])
def test_a_jump_is_told_once(jump_s: float) -> None:
    watch = ClockWatch()
    assert watch.look(EPOCH, 50.0) is None
    jump = watch.look(EPOCH + 0.25 + jump_s, 50.25)
    assert jump == Jump(
        seconds=pytest.approx(jump_s, abs=1e-3), at=EPOCH + 0.25 + jump_s, monotonic_s=50.25, late_s=0.25
    )
    assert watch.look(EPOCH + 0.5 + jump_s, 50.5) is None


@given(gaps=st.lists(st.floats(0.001, 600.0), max_size=50), drift=st.floats(-5e-4, 5e-4))
def test_a_slewed_clock_and_late_looks_are_no_jumps(gaps: list[float], drift: float) -> None:
    watch, wall, monotonic = ClockWatch(), EPOCH, 7.0
    for gap in gaps:
        assert watch.look(wall, monotonic) is None
        wall, monotonic = wall + gap * (1 + drift), monotonic + gap


def test_both_clocks_are_read_as_of_the_same_moment() -> None:
    before = time.time(), time.monotonic()
    read = read_clocks()
    after = time.time(), time.monotonic()
    assert before[0] <= read[0] <= after[0] and before[1] <= read[1] <= after[1]
