"""Moments are written whatever a damaged file says."""

import pytest

from ogai.render.moment import clock, local_time


@pytest.mark.parametrize("at", [1e308, -1e308, 1e20, -1.0, 0.0])
def test_a_moment_beyond_the_calendar_is_written_all_the_same(at: float) -> None:
    assert clock(at) and local_time(at, 1000.0)
