"""Limits are learnt from the run: steps, first steps and the rest each from their own."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from l3_modeltools.resilience.heartbeat import Phase, SectionTime
from l3_modeltools.resilience.limits import STEP_PHASES, Limits

SHARES: dict[Phase, float] = {"data": 0.05, "forward": 0.3, "backward": 0.6, "optimizer": 0.05}


def part(phase: Phase, seconds: float, step: int = 0) -> SectionTime:
    return SectionTime(phase=phase, step=step, seconds=seconds, starved_s=0.0)


def learn_step(limits: Limits, step: int, seconds: float, rank: int = 0) -> None:
    for phase, share in SHARES.items():
        limits.learn(rank, part(phase, share * seconds, step))


def learnt(*seconds: float) -> Limits:
    limits = Limits()
    limits.learn(0, part("setup", 4.0))
    for step, of_step in enumerate(seconds, 1):
        learn_step(limits, step, of_step)
    return limits


def test_until_steps_are_known_time_is_ample() -> None:
    limits = learnt(9.0, *[0.4] * 7)
    assert limits.median_step_s is None
    assert limits.limit_s("forward") == 120.0
    assert Limits().limit_s("setup") == 600.0
    assert Limits().limit_s("save") == 120.0


@given(seconds=st.lists(st.floats(1e-3, 1e3), min_size=9, max_size=40))
def test_a_silent_step_is_found_within_three_medians_and_two_seconds(seconds: list[float]) -> None:
    limits = learnt(*seconds)
    usual = limits.median_step_s
    assert usual is not None
    for phase in ("forward", "backward", "optimizer"):
        assert limits.limit_s(phase) + 0.3 <= 3 * usual + 2.0


def test_the_first_step_of_each_start_is_learnt_apart() -> None:
    limits = learnt(30.0, *[0.4] * 10)
    limits.learn(0, part("setup", 1.0))
    learn_step(limits, 11, 40.0)
    assert limits.median_step_s == pytest.approx(0.4)
    assert limits.limit_s("forward") == pytest.approx(2.5)
    assert limits.limit_s("forward", first=True) == pytest.approx(2.5 * 40.0 + 1.5)


def test_a_step_is_the_sum_of_its_parts_of_one_rank() -> None:
    limits = Limits()
    for step in range(10):
        for rank in (0, 1):
            limits.learn(rank, part("data", 0.1, step))
        for _ in range(3):  # three micro batches
            for rank in (0, 1):
                limits.learn(rank, part("forward", 0.2, step))
                limits.learn(rank, part("backward", 0.4, step))
        for rank in (0, 1):
            limits.learn(rank, part("optimizer", 0.1, step))
    assert limits.median_step_s == pytest.approx(2.0)


def test_a_step_without_an_update_and_one_cut_off_by_a_new_start_are_no_steps() -> None:
    limits = learnt(*[0.4] * 9)
    limits.learn(0, part("data", 50.0, 10))
    limits.learn(0, part("forward", 50.0, 11))
    limits.learn(0, part("setup", 1.0))
    learn_step(limits, 11, 0.4)
    assert limits.median_step_s == pytest.approx(0.4)
    assert limits.limit_s("forward", first=True) == pytest.approx(2.5)


def test_what_was_left_out_is_no_part_of_the_next_step() -> None:
    limits = Limits()
    for step in range(1, 21, 2):
        limits.learn(0, part("data", 50.0, step))
        learn_step(limits, step + 1, 0.4)
    assert limits.median_step_s == pytest.approx(0.4)


@pytest.mark.parametrize("phase", ["setup", "validate", "save"])
def test_rare_parts_have_more_than_twice_the_longest_that_was_seen(phase: Phase) -> None:
    limits = learnt(*[0.1] * 9)
    for seconds in (1.0, 80.0, 1.0, 1.0):
        limits.learn(0, part(phase, seconds))
    assert 200.0 <= limits.limit_s(phase) <= 260.0


def test_data_have_half_a_minute_or_ten_steps_or_what_they_took_before() -> None:
    limits = learnt(*[0.1] * 12)
    assert limits.limit_s("data") == pytest.approx(30.0)
    limits.learn(0, part("data", 20.0, 13))
    assert limits.limit_s("data") == pytest.approx(50.0)
    assert limits.limit_s("forward") == pytest.approx(1.75)
    assert learnt(*[5.0] * 12).limit_s("data") == pytest.approx(50.0)


def test_the_first_data_after_a_start_is_no_measure_of_what_comes() -> None:
    limits = Limits()
    limits.learn(0, part("data", 20.0, 1))
    for step in range(1, 12):
        learn_step(limits, step, 0.1)
    assert limits.limit_s("data") == pytest.approx(30.0)


def test_all_parts_of_a_step_are_named_in_order() -> None:
    assert tuple(SHARES) == STEP_PHASES
