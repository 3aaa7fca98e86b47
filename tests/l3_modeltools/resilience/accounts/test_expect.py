"""What a plan can expect: the closed form against events, against Daly's equation and against Meta's."""

from dataclasses import replace
from math import exp

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from l3_modeltools.resilience.accounts import (
    FaultPlan,
    best_interval,
    expect,
    first_order_ettr,
    llama3_table,
    reach,
    replay_faults,
    scaled_mtbf_s,
    simulate_ettr,
)
from l3_modeltools.resilience.interval import DEVICE_MTBF_S

PLAN = FaultPlan(mtbf_s=10_000.0, save_s=60.0, interval_s=1800.0, restart_s=600.0)
PLANS = st.builds(
    FaultPlan,
    mtbf_s=st.floats(100, 1e6),
    save_s=st.floats(0, 50),
    interval_s=st.floats(1, 500),
    restart_s=st.floats(0, 300),
    memory_share=st.floats(0, 1),
    memory_redo_s=st.floats(0, 10),
)


@pytest.mark.parametrize("memory_share", [0.0, 0.6, 1.0])
@pytest.mark.parametrize("mtbf_s", [300.0, 2000.0, 50_000.0])
def test_the_closed_form_is_what_comes_out_of_events(mtbf_s: float, memory_share: float) -> None:
    plan = FaultPlan(
        mtbf_s=mtbf_s, save_s=10, interval_s=200, restart_s=60, memory_share=memory_share, memory_redo_s=15
    )
    simulated = simulate_ettr(plan, intervals=20_000, seed=7)
    assert expect(plan).productive == pytest.approx(simulated, rel=0.02)


def test_a_simulation_is_the_same_for_the_same_seed() -> None:
    assert simulate_ettr(PLAN, intervals=50, seed=3) == simulate_ettr(PLAN, intervals=50, seed=3)
    assert simulate_ettr(PLAN, intervals=50, seed=3) != simulate_ettr(PLAN, intervals=50, seed=4)


def test_without_copies_it_is_daly_s_equation() -> None:
    m, tau, delta, r = PLAN.mtbf_s, PLAN.interval_s, PLAN.save_s, PLAN.restart_s
    assert expect(PLAN).productive == pytest.approx(tau / (m * exp(r / m) * (exp((tau + delta) / m) - 1)))


def test_meta_s_approximation_is_its_equation_and_close_where_faults_are_rare() -> None:
    assert first_order_ettr(PLAN) == pytest.approx((1 - (600 + 900) / 10_000) / (1 + 60 / 1800))
    rare = replace(PLAN, mtbf_s=1e6)
    assert first_order_ettr(rare) == pytest.approx(expect(rare).productive, abs=1e-4)
    assert first_order_ettr(replace(PLAN, mtbf_s=100.0)) == 0


@given(PLANS, st.sampled_from([1.0, 1e-3, 1e-6, 1e6]))
def test_the_parts_are_shares_of_one_whole(plan: FaultPlan, often: float) -> None:
    found = expect(replace(plan, mtbf_s=plan.mtbf_s * often))
    parts = (found.productive, found.save_stall, found.redone, found.restart)
    assert all(-1e-9 <= part <= 1 for part in parts)
    assert sum(parts) == pytest.approx(1, abs=1e-9)


@given(PLANS, st.floats(1.1, 10))
def test_it_is_never_better_with_more_faults_longer_restarts_or_fewer_copies(
    plan: FaultPlan, more: float
) -> None:
    assume(plan.memory_redo_s <= plan.interval_s)
    share = expect(plan).productive + 1e-9
    assert expect(replace(plan, mtbf_s=plan.mtbf_s / more)).productive <= share
    assert expect(replace(plan, restart_s=plan.restart_s * more)).productive <= share
    without_redo = replace(plan, memory_redo_s=0.0)
    fewer = replace(without_redo, memory_share=plan.memory_share / more)
    assert expect(fewer).productive <= expect(without_redo).productive + 1e-9


@pytest.mark.parametrize("memory_share", [0.0, 0.9])
def test_no_other_interval_is_much_better_than_the_best(memory_share: float) -> None:
    plan = replace(PLAN, memory_share=memory_share)
    best = replace(plan, interval_s=best_interval(plan))
    for factor in (0.5, 0.8, 1.25, 2.0):
        other = replace(best, interval_s=best.interval_s * factor)
        assert expect(other).productive < expect(best).productive


def test_what_is_said_to_reach_a_target_reaches_it_and_a_little_more_does_not() -> None:
    target = 0.85
    found = reach(PLAN, memory_share=0.9, targets=[target])[0]
    assert not found.reached
    restart_s, save_s, with_memory_s = found.restart_s, found.save_s, found.restart_with_memory_s
    assert restart_s is not None and save_s is not None and with_memory_s is not None
    for plan in (
        replace(PLAN, restart_s=restart_s),
        replace(PLAN, save_s=save_s),
        replace(PLAN, restart_s=with_memory_s, memory_share=0.9),
    ):
        reached = replace(plan, interval_s=best_interval(plan))
        assert expect(reached).productive == pytest.approx(target, abs=1e-6)
    assert with_memory_s > restart_s
    hopeless = reach(replace(PLAN, mtbf_s=60.0), memory_share=0.0, targets=[0.99])[0]
    assert (hopeless.interval_s, hopeless.restart_s, hopeless.save_s) == (None, None, None)


def test_llama_3_s_table_is_as_published() -> None:
    table = llama3_table()
    assert (table.count, table.days, table.accelerators) == (419, 54, 16_384)
    assert sum(cause.count for cause in table.causes if cause.category == "GPU") == 268
    assert table.mtbf_s / 3600 == pytest.approx(3.09, abs=0.005)
    assert scaled_mtbf_s(16_384) == pytest.approx(table.mtbf_s)
    assert scaled_mtbf_s(1) / 3600 == pytest.approx(50_677, abs=1)
    assert scaled_mtbf_s(1) == pytest.approx(DEVICE_MTBF_S)


def test_its_replay_with_hourly_saves_and_20_minutes_is_71_percent_to_first_order_and_74_by_events() -> None:
    found = replay_faults(llama3_table())
    shares = [round(estimate.share, 3) for estimate in found.estimates]
    assert shares[:4] == [0.731, 0.711, 0.761, 0.736]
    assert shares[4] == pytest.approx(shares[3], abs=0.005)
    assert replay_faults(llama3_table()) == found


def test_the_settings_of_the_replay_improve_to_the_right_and_downwards() -> None:
    rows = [[setting.share for setting in row] for row in replay_faults(llama3_table()).settings]
    for row in rows:
        assert row == sorted(row)
    for column in zip(*rows, strict=True):
        assert list(column) == sorted(column)
    assert rows[-1][-1] > 0.97 > rows[0][-1]
