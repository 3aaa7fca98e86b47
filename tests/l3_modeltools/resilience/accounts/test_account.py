"""The time of a run goes where the files say, and all of it goes somewhere."""

from collections.abc import Callable, Sequence
from math import fsum
from typing import get_args

import pytest
from hypothesis import given
from hypothesis import strategies as st

from l3_modeltools.resilience.accounts import CATEGORIES, Accounts, Category, account
from l3_modeltools.runs import Mark, MarkWord, Metric
from l3_modeltools.schemas import Evidence, TrainingFault
from tests.support.work import work_of


def a_fault(fault_id: int, **fields: float | None) -> TrainingFault:
    return TrainingFault(
        fault_id=fault_id,
        run="small-1",
        fault_class="killed",
        evidence=(Evidence(source="exit", text="signal 9"),),
        advised="restart_worker",
        **fields,
    )


def a_mark(at: float, word: MarkWord, **fields: object) -> Mark:
    return Mark(at=at, mark=word, **fields)


def steps(first: int, last: int, begin: float, step_s: float = 1.0) -> list[Metric]:
    """Return steps without a break, the first from `begin` on."""
    return [
        Metric(step=step, at=begin + (step - first + 1) * step_s, step_s=step_s)
        for step in range(first, last + 1)
    ]


def accounts_of(
    until: float,
    *,
    starts: Sequence[float] = (),
    marks: Sequence[Mark] = (),
    faults: Sequence[TrainingFault] = (),
    lines: Sequence[Metric] = (),
    submissions: Sequence[float] = (),
) -> Accounts:
    return account(
        submitted_at=100.0,
        until=until,
        starts=starts,
        marks=marks,
        faults=faults,
        lines=lines,
        submissions=submissions,
    )


def spent(accounts: Accounts) -> dict[str, float]:
    return {category: pytest.approx(seconds) for category, seconds in accounts.spent_s.items() if seconds}


BEGUN = [a_mark(111, "supervised"), a_mark(112, "spawned"), a_mark(120, "ready", step=0)]


def test_an_undisturbed_run_waits_sets_up_trains_looks_and_saves() -> None:
    marks = [
        *BEGUN,
        a_mark(127, "validated", step=5, seconds=2.0),
        a_mark(140, "saved", step=5, seconds=0.5),  # safe much later than the loop was held up
        a_mark(134, "ended", exit_code=0),
    ]
    lines = [*steps(1, 5, 120), *steps(6, 10, 128)]
    found = accounts_of(134, starts=[110], marks=marks, lines=lines)
    assert spent(found) == {
        "queue": 10, "setup": 10, "productive": 10, "validate": 2, "save_stall": 0.5, "other": 1.5,
    }  # fmt: skip
    stall = next(piece for piece in found.intervals if piece.category == "save_stall")
    assert (stall.begin_ns, stall.end_ns) == (127_000_000_000, 127_500_000_000)


def test_a_killed_rank_costs_its_begun_step_detection_location_restart_and_what_is_done_again() -> None:
    fault = a_fault(1, occurred_at=125.5, detected_at=125.75, located_at=126.0)
    marks = [
        *BEGUN,
        a_mark(126.5, "spawned", fault_id=1),
        a_mark(127, "ready", step=4, source="memory"),
    ]
    lines = [*steps(1, 5, 120), *steps(5, 9, 127)]
    found = accounts_of(132, starts=[110], marks=marks, faults=[fault], lines=lines)
    assert spent(found) == {
        "queue": 10, "setup": 10, "productive": 9, "redone": 1.5, "detect": 0.25, "locate": 0.25, "restart": 1,
    }  # fmt: skip


def test_of_a_step_that_comes_again_the_last_time_counts() -> None:
    lines = [*steps(1, 6, 120), *steps(3, 8, 130, step_s=2.0)]
    found = accounts_of(142, starts=[120], lines=lines)
    assert (found.spent_s["productive"], found.spent_s["redone"]) == (2 + 6 * 2, 4)


def test_a_job_tried_again_restarts_and_one_that_a_person_stopped_was_stopped() -> None:
    again = [*BEGUN, a_mark(130, "ended", exit_code=75), a_mark(141, "supervised"), a_mark(142, "spawned")]
    again += [a_mark(150, "ready", step=10)]
    lines = [*steps(1, 10, 120), *steps(11, 20, 150)]
    found = accounts_of(160, starts=[110, 140], marks=again, lines=lines)
    assert spent(found) == {"queue": 10, "setup": 10, "productive": 20, "restart": 20}
    stopped = [a_mark(mark.at, mark.mark, exit_code=143) if mark.mark == "ended" else mark for mark in again]
    found = accounts_of(160, starts=[110, 140], marks=stopped, lines=lines)
    assert spent(found) == {"queue": 10, "setup": 20, "productive": 20, "stopped": 10}


def test_from_a_resume_on_a_stopped_run_waits_for_its_turn() -> None:
    marks = [
        *BEGUN,
        a_mark(130, "ended", exit_code=143),
        a_mark(145, "supervised"),
        a_mark(150, "ready", step=10),
    ]
    lines, submissions = [*steps(1, 10, 120), *steps(11, 20, 150)], [100.0, 132.0]
    found = accounts_of(160, starts=[110, 144], marks=marks, lines=lines, submissions=submissions)
    assert spent(found) == {"queue": 10 + 12, "setup": 10 + 6, "productive": 20, "stopped": 2}
    waits = accounts_of(160, starts=[110], marks=marks[:4], lines=lines[:10], submissions=submissions)
    assert spent(waits) == {"queue": 10 + 28, "setup": 10, "productive": 10, "stopped": 2}
    failed = [a_mark(mark.at, mark.mark, exit_code=1) if mark.mark == "ended" else mark for mark in marks]
    again = accounts_of(160, starts=[110, 144], marks=failed, lines=lines, submissions=submissions)
    assert again.spent_s["stopped"] == 0 and again.spent_s["queue"] == 10


def test_a_supervisor_that_vanished_costs_from_the_last_sign_of_life() -> None:
    marks = [*BEGUN, a_mark(141, "supervised"), a_mark(142, "spawned"), a_mark(150, "ready", step=10)]
    found = accounts_of(160, starts=[110, 140], marks=marks, lines=[*steps(1, 10, 120), *steps(11, 20, 150)])
    assert spent(found) == {"queue": 10, "setup": 10, "productive": 20, "restart": 20}


def test_a_pause_lasts_until_it_goes_on_or_is_ended() -> None:
    paused = [*BEGUN, a_mark(125, "paused")]
    lines = steps(1, 5, 120)
    assert accounts_of(165, starts=[110], marks=paused, lines=lines).spent_s["paused"] == 40
    on = [*paused, a_mark(145, "went_on")]
    assert accounts_of(165, starts=[110], marks=on, lines=lines).spent_s["paused"] == 20


def test_a_fault_that_stopped_nobody_costs_nothing() -> None:
    slow = a_fault(1, occurred_at=121.0, detected_at=125.0, located_at=125.0)
    found = accounts_of(130, starts=[110], marks=BEGUN, faults=[slow], lines=steps(1, 10, 120))
    assert spent(found) == {"queue": 10, "setup": 10, "productive": 10}


def test_a_run_that_gave_up_is_being_placed_and_then_stopped() -> None:
    fault = a_fault(1, occurred_at=130.0, detected_at=132.0, located_at=133.0)
    marks = [*BEGUN, a_mark(133, "ended", exit_code=6, fault_id=1)]
    found = accounts_of(140, starts=[110], marks=marks, faults=[fault], lines=steps(1, 10, 120))
    assert spent(found) == {
        "queue": 10, "setup": 10, "productive": 10, "detect": 2, "locate": 1, "stopped": 7,
    }  # fmt: skip


def test_a_run_that_only_waits_is_in_the_queue() -> None:
    assert spent(accounts_of(150)) == {"queue": 50}


def test_a_trainer_that_tells_no_step_times_is_taken_to_step_without_a_break() -> None:
    lines = [Metric(step=step, at=120.0 + step) for step in (1, 2, 3)]
    lines += [Metric(step=3, at=125.0, validation_loss=2.0)]  # said of the same step later
    lines += [Metric(step=step, at=140.0 + step) for step in (2, 3, 4)]
    found = accounts_of(144, starts=[110, 135], lines=lines)
    assert (
        found.spent_s["productive"] == 2
    )  # steps 3 and 4; how long the first after a start took is not known
    assert found.spent_s["redone"] == 2
    assert found.spent_s["restart"] == (135 - 123) + (142 - 135)


TIMES = st.one_of(st.floats(50, 250), st.floats(-1e6, 1e12), st.sampled_from([100.0, 150.0, 150.0]))
MARKS = st.builds(
    Mark,
    at=TIMES,
    mark=st.sampled_from(get_args(MarkWord)),
    step=st.none() | st.integers(0, 8),
    seconds=st.none() | st.floats(0, 100),
    fault_id=st.none() | st.integers(1, 4),
    exit_code=st.none() | st.sampled_from([0, 1, 6, 75, 143]),
)
LINES = st.builds(
    Metric,
    step=st.integers(0, 8),
    at=st.none() | TIMES | st.just(float("nan")),
    step_s=st.none() | st.floats(0, 30) | st.floats(),
)
FAULTS = st.lists(st.tuples(st.none() | TIMES, TIMES, st.none() | TIMES), max_size=3).map(
    lambda told: [
        a_fault(number, occurred_at=occurred, detected_at=detected, located_at=located)
        for number, (occurred, detected, located) in enumerate(told, start=1)
    ]
)


@given(TIMES, st.lists(TIMES, max_size=3), st.lists(MARKS, max_size=12), FAULTS, st.lists(LINES, max_size=12))
def test_whatever_is_told_the_intervals_are_the_wall_time(
    until: float, starts: list[float], marks: list[Mark], faults: list[TrainingFault], lines: list[Metric]
) -> None:
    found = accounts_of(until, starts=sorted(starts), marks=marks, faults=faults, lines=lines)
    assert list(found.spent_s) == list(CATEGORIES) == list(get_args(Category))
    assert all(seconds >= 0 for seconds in found.spent_s.values())
    whole = max(0.0, min(until, 9e9) - 100.0)
    assert found.wall_s == pytest.approx(whole, abs=1e-5)
    assert fsum(found.spent_s.values()) == pytest.approx(found.wall_s, abs=1e-5)
    for piece, following in zip(found.intervals, found.intervals[1:], strict=False):
        assert piece.begin_ns < piece.end_ns == following.begin_ns
        assert piece.category != following.category


@given(st.lists(st.tuples(st.integers(1, 5), st.floats(0.1, 5)), min_size=1, max_size=20))
def test_productive_is_the_last_time_of_each_step_and_nothing_else(taken: list[tuple[int, float]]) -> None:
    lines, at = [], 200.0
    for step, step_s in taken:
        at += step_s
        lines.append(Metric(step=step, at=at, step_s=step_s))
    last = dict(taken)
    found = accounts_of(at, starts=[150.0], lines=lines)
    assert found.spent_s["productive"] == pytest.approx(sum(last.values()), abs=1e-5)
    assert found.spent_s["redone"] == pytest.approx(sum(s for _, s in taken) - sum(last.values()), abs=1e-5)


def paused(count: int) -> Accounts:
    return accounts_of(1e6, marks=[*BEGUN, *(a_mark(121 + at, "paused") for at in range(count))])


def begun(count: int) -> Accounts:
    return accounts_of(1e6, marks=[a_mark(121 + at, "supervised") for at in range(count)])


def ended(count: int) -> Accounts:
    marks = [
        mark
        for at in range(count // 2)
        for mark in (a_mark(121 + at, "supervised"), a_mark(121.5 + at, "ended"))
    ]
    return accounts_of(1e6, marks=marks, submissions=[121.7 + at for at in range(count // 2)])


def killed(count: int) -> Accounts:
    """Every other step costs a fault, and is saved when it was done again."""
    faults = [
        a_fault(at, occurred_at=121 + 5 * at, detected_at=122 + 5 * at, located_at=123 + 5 * at)
        for at in range(1, count)
    ]
    marks = [
        mark
        for fault in faults
        for mark in (
            a_mark(fault.detected_at + 1, "spawned", fault_id=fault.fault_id),
            a_mark(fault.detected_at + 2, "ready", step=fault.fault_id),
            a_mark(fault.detected_at + 3, "saved", step=fault.fault_id, seconds=0.1),
        )
    ]
    lines = [
        Metric(step=at, at=121 + 5 * at + part, step_s=0.5) for at in range(1, count) for part in (-0.5, 4.0)
    ]
    return accounts_of(1e6, marks=marks, faults=faults, lines=lines)


@pytest.mark.parametrize("run", [paused, begun, ended, killed])
def test_a_long_history_takes_no_more_work_for_each_mark_than_a_short_one(
    run: Callable[[int], Accounts],
) -> None:
    assert work_of(lambda: run(800)) < 4.4 * work_of(lambda: run(200))
