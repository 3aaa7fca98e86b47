"""The interval between saves loses least time, and follows what a run measures."""

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from l3_modeltools.resilience.interval import Rhythm, best_interval_s


def wall_per_work(interval_s: float, save_s: float, mtbf_s: float) -> float:
    """Daly 2006, eq. 20, the exact expected wall time, over the time of the work; a restart is free here."""
    return mtbf_s * math.expm1((interval_s + save_s) / mtbf_s) / interval_s


@given(save_s=st.floats(0.01, 600.0), factor=st.floats(3.0, 1e6))
def test_no_other_interval_loses_less(save_s: float, factor: float) -> None:
    """Against a search over all intervals; Daly's series is within 1 % of the least time, far less for rare faults."""
    mtbf_s = factor * save_s
    least = min(wall_per_work(mtbf_s * 10 ** (power / 200), save_s, mtbf_s) for power in range(-800, 200))
    assert wall_per_work(best_interval_s(save_s, mtbf_s), save_s, mtbf_s) <= least * 1.01


def test_it_is_youngs_where_faults_are_rare() -> None:
    assert best_interval_s(2.0, 1e8) == pytest.approx(math.sqrt(2 * 2.0 * 1e8), rel=1e-3)
    assert best_interval_s(30.0, 10.0) == 10.0, "a save takes longer than the time between two faults"


def measured(*, devices: int, faults: int = 0, observed_s: float = 0.0, save_s: float = 2.0) -> Rhythm:
    rhythm = Rhythm(devices=devices, faults=faults, observed_s=observed_s)
    for _ in range(5):
        rhythm.stepped(0.5)
        rhythm.saved(save_s)
    return rhythm


def test_a_run_without_faults_begins_with_what_others_saw() -> None:
    assert Rhythm(devices=16_384).mtbf_s == pytest.approx(54 * 86_400 / 419)
    assert Rhythm(devices=1).mtbf_s / 3600 == pytest.approx(50_682, rel=1e-3)


def test_its_own_faults_count_more_the_longer_it_runs() -> None:
    faulty = Rhythm(devices=8, faults=5, observed_s=3600.0)
    assert faulty.mtbf_s < 6 * 3600
    assert Rhythm(devices=8, faults=500, observed_s=360_000.0).mtbf_s == pytest.approx(890, rel=0.01)
    assert Rhythm(devices=16_384, observed_s=10 * 86_400.0).mtbf_s > 10 * Rhythm(devices=16_384).mtbf_s


def test_steps_without_a_fault_speak_for_the_run() -> None:
    rhythm = Rhythm(devices=16_384)
    before_s = rhythm.mtbf_s
    for _ in range(240):
        rhythm.stepped(3600.0)
    assert rhythm.mtbf_s == pytest.approx(11 * before_s), "ten days beside the one that others count for"


def test_the_interval_follows_cost_and_rate() -> None:
    usual = measured(devices=1024).interval_s
    assert measured(devices=1024, save_s=8.0).interval_s == pytest.approx(2 * usual, rel=0.02)
    assert measured(devices=1024, faults=20, observed_s=3600.0).interval_s < usual / 4
    assert measured(devices=1, save_s=60.0).interval_s == 3600.0, "an hour at most"


def test_one_bad_save_does_not_move_it() -> None:
    rhythm = measured(devices=1024)
    usual = rhythm.interval_s
    rhythm.saved(500.0)
    assert rhythm.interval_s == usual


def test_the_next_save_is_due_at_the_step_nearest_to_the_interval() -> None:
    rhythm = measured(devices=16_384)
    due = next(steps for steps in range(1, 100_000) if rhythm.is_due(steps))
    assert abs(due * 0.5 - rhythm.interval_s) <= 0.25 + 1e-9


def test_the_first_save_comes_after_a_minute() -> None:
    rhythm = Rhythm(devices=2)
    assert not rhythm.is_due(1), "nothing was measured"
    rhythm.stepped(10.0)
    assert [rhythm.is_due(steps) for steps in (5, 6)] == [False, True]
    rhythm.saved(0.0)
    assert rhythm.interval_s > 60.0, "a save that costs nothing measurable"


def test_a_step_longer_than_the_interval_is_saved_each_time() -> None:
    rhythm = measured(devices=16_384, save_s=0.01)
    rhythm.stepped(0.0)
    for _ in range(64):
        rhythm.stepped(500.0)
    assert rhythm.is_due(1)
