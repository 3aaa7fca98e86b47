"""Axes: ticks at good numbers that can be told apart, limits that one spike does not spoil."""

from math import log10

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from ogai.render.chart.scale import choose_limits, choose_step, choose_ticks, write_tick

NUMBERS = st.floats(-1e9, 1e9, allow_nan=False)


@given(NUMBERS, NUMBERS, st.integers(1, 30))
def test_ticks_lie_within_the_limits_and_are_few(low: float, high: float, most: int) -> None:
    assume(high - low > 1e-6 * max(1.0, abs(low), abs(high)))
    ticks = choose_ticks(low, high, most)
    slack = 1e-6 * (high - low)
    assert all(low - slack <= tick <= high + slack for tick in ticks)
    assert len(ticks) <= most + 1
    mantissa = choose_step(low, high, most) / 10 ** round(log10(choose_step(low, high, most)) - 0.3)
    assert any(mantissa * scale == pytest.approx(good) for scale in (1, 10) for good in (1, 2, 2.5, 5, 10))


@given(NUMBERS, NUMBERS, st.integers(1, 30))
def test_no_two_ticks_are_written_alike(low: float, high: float, most: int) -> None:
    assume(high - low > 1e-4 * max(1.0, abs(low), abs(high)))
    ticks = choose_ticks(low, high, most)
    step = choose_step(low, high, most)
    written = [write_tick(tick, step) for tick in ticks]
    assert len(set(written)) == len(written)


@pytest.mark.parametrize(
    ("value", "step", "written"),
    [(8, 2, "8"), (0.25, 0.25, "0.25"), (7.5, 2.5, "7.5"), (0.0015, 0.0005, "0.0015"), (3e-5, 1e-5, "3e-5"),
     (2500, 500, "2500"), (20_000, 5000, "20K"), (1_500_000, 500_000, "1.5M"), (0, 0.5, "0.0")],
)  # fmt: skip
def test_ticks_are_short(value: float, step: float, written: str) -> None:
    assert write_tick(value, step) == written


def test_a_spike_hides_nothing() -> None:
    smooth = [5 - step / 100 for step in range(200)]
    highs = [value + 0.2 for value in smooth]
    lows = [value - 0.2 for value in smooth]
    low, high = choose_limits(lows, highs, smooth)
    assert (low, high) == (min(lows), max(highs))
    highs[100] = 1000.0
    low, high = choose_limits(lows, highs, smooth)
    assert high < 6


def test_a_curve_that_never_moves_has_room() -> None:
    low, high = choose_limits([3.0], [3.0], [3.0])
    assert low < 3.0 < high
    low, high = choose_limits([0.0], [0.0], [0.0])
    assert low < 0.0 < high


VALUES = st.floats(-1e12, 1e12, allow_nan=False)


@given(st.lists(st.tuples(VALUES, VALUES), min_size=1), st.lists(VALUES, min_size=1))
def test_the_smoothed_curve_is_always_within(pairs: list[tuple[float, float]], smooth: list[float]) -> None:
    low, high = choose_limits([min(pair) for pair in pairs], [max(pair) for pair in pairs], smooth)
    assert low < high
    assert low <= min(smooth) and max(smooth) <= high
