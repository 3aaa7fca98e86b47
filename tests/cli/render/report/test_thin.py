"""Thinning loses nothing that would be seen; the smoothed line is the median of what is near."""

import math
from statistics import median

from hypothesis import given
from hypothesis import strategies as st

from ogai.render.report.thin import smooth, thin

VALUES = st.lists(st.one_of(st.floats(-1e6, 1e6), st.just(math.nan)), min_size=1, max_size=300)
COLUMNS = st.integers(1, 40)


def column(index: int, count: int, columns: int) -> int:
    return sum(index >= (count - 1) / columns * edge for edge in range(1, columns))


@given(VALUES, COLUMNS)
def test_every_column_keeps_its_extremes_its_ends_and_its_first_gap(ys: list[float], columns: int) -> None:
    kept = thin(range(len(ys)), ys, columns)
    assert kept == sorted(set(kept))
    everything = range(len(ys))
    for number in range(columns):
        here = [index for index in everything if column(index, len(ys), columns) == number]
        left = [index for index in kept if column(index, len(ys), columns) == number]
        assert len(here) <= 1 or len(ys) <= columns or len(left) <= 5
        finite = [ys[index] for index in here if math.isfinite(ys[index])]
        shown = [ys[index] for index in left if math.isfinite(ys[index])]
        assert not here or (left[0], left[-1]) == (here[0], here[-1])
        assert not finite or (min(shown), max(shown)) == (min(finite), max(finite))
        assert any(math.isnan(ys[i]) for i in left) == any(math.isnan(ys[i]) for i in here)


def test_few_points_stay_as_they_are() -> None:
    assert thin([1, 5, 6], [0.0, math.nan, 2.0], 3) == [0, 1, 2]


def test_a_hundred_thousand_points_become_as_many_as_are_seen() -> None:
    ys = [math.sin(step / 50) for step in range(100_000)]
    ys[54_321] = 9.0
    kept = thin(range(len(ys)), ys, 900)
    assert 900 <= len(kept) <= 4 * 900
    assert 54_321 in kept


@given(VALUES, st.integers(0, 8).map(lambda half: 2 * half + 1))
def test_the_smoothed_line_is_the_median_of_what_is_near(ys: list[float], window: int) -> None:
    half = window // 2
    for place, found in enumerate(smooth(ys, window)):
        near = [y for y in ys[max(0, place - half) : place + half + 1] if math.isfinite(y)]
        assert math.isnan(found) if not near else found == median(near)
