"""Curves keep the last word of each step; the pace counts validations and saves, and no restart."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from l3_modeltools import Metric
from ogai.flows.train.history import Curve, History
from tests.support.scenes import STEP_S, metrics_of

POINTS = st.lists(st.tuples(st.integers(0, 30), st.floats()))


@given(POINTS)
def test_a_curve_is_the_last_word_on_each_step_in_order(points: list[tuple[int, float]]) -> None:
    curve = Curve(points)
    last = {step: value for step, value in dict(points).items() if abs(value) < 1e100}
    assert list(zip(curve.steps, curve.values, strict=True)) == sorted(last.items())


@given(POINTS, st.integers(0, 30), st.integers(0, 30))
def test_a_part_of_a_curve_holds_both_its_ends(
    points: list[tuple[int, float]], first: int, last: int
) -> None:
    curve = Curve(points)
    assert curve.between(first, last).steps == [step for step in curve.steps if first <= step <= last]


def test_numbers_come_at_the_steps_they_were_told_of() -> None:
    history = History([Metric(step=1, loss=4.0), Metric(step=2, validation_loss=3.5)])
    history.take([Metric(step=2, loss=3.0, at=5.0)])
    assert (history.loss.steps, history.loss.values) == ([1, 2], [4.0, 3.0])
    assert (history.validation_loss.steps, history.validation_loss.values) == ([2], [3.5])
    assert history.last == Metric(step=2, loss=3.0, at=5.0)


def test_an_even_run_has_its_own_pace() -> None:
    history = History(metrics_of(100))
    assert history.pace_s() == pytest.approx(STEP_S)
    assert History(metrics_of(1)).pace_s() is None
    assert History().pace_s() is None


def test_the_pace_counts_what_validations_take() -> None:
    history = History()
    for step in range(1, 401):
        history.take([Metric(step=step, at=step * 1.0 + (step // 100) * 50.0)])
    assert history.pace_s() == pytest.approx(1 + 200 / 399, rel=0.01)
    assert history.step_s() == pytest.approx(1.0)


def test_the_pace_follows_a_change_at_once() -> None:
    history = History(Metric(step=step, at=step * 1.0) for step in range(1, 501))
    history.take(Metric(step=500 + step, at=500.0 + 3 * step) for step in range(1, 51))
    assert 2.5 < (history.pace_s() or 0.0) < 3.5


def test_a_restart_costs_no_pace() -> None:
    history = History(metrics_of(200))
    ended = history.at.values[-1]
    again = metrics_of(230, began=ended + 600, first=191)
    history.take(again)
    assert history.loss.steps == list(range(1, 231))
    assert history.pace_s([ended + 590]) == pytest.approx(STEP_S)
    assert (history.pace_s() or 0.0) > 2 * STEP_S


def test_the_typical_speed_of_a_long_run_is_its_median() -> None:
    history = History(Metric(step=step, tokens_per_s=float(step % 100)) for step in range(1, 20_001))
    assert history.typical_speed() == pytest.approx(49.5, abs=2)
    assert History().typical_speed() is None
